# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "zlib"

# Operations of collections in the form of BEIR (IDX-3).
module BeirCollectionOperations
  module_function

  def data(name, content)
    return [content["hex"]].pack("H*") if content.is_a?(Hash)

    name.end_with?(".gz") ? Zlib.gzip(content) : content
  end

  def documents(folder)
    index = HybridSearch::Index.from_beir(folder)
    index.get_many(index.each(match_all: true).map(&:id))
  end

  def answer
    yield
  rescue HybridSearch::Error => e
    { "error" => e.class.name.split("::").last, "message" => e.message }
  end
end

Conformance.operation("beir_collection.read") do |params, given, _trace|
  Dir.mktmpdir do |folder|
    given["files"].each do |name, content|
      path = File.join(folder, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.binwrite(path, BeirCollectionOperations.data(name, content))
    end
    collection = HybridSearch::BeirCollection.new(folder)
    { "documents" => BeirCollectionOperations.answer { BeirCollectionOperations.documents(folder) },
      "queries" => BeirCollectionOperations.answer { collection.queries.to_a },
      "qrels" => BeirCollectionOperations.answer { collection.qrels(params.fetch("split", "test")) } }
  end
end
