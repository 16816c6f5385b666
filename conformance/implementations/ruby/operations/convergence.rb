# frozen_string_literal: true

require "digest"
require "fileutils"
require "scripted_model"
require "tmpdir"

# Operations of convergent retrieval (CNV-1 … CNV-7).
module Conformance
  # A scripted model that cuts texts itself: a word is a token; or does what a script says instead.
  class Cutting < ScriptedModel
    def initialize(script, cutting)
      super(script)
      @cutting = cutting == true ? nil : ScriptedModel.new(cutting)
    end

    def truncate(text, tokens)
      @cutting.nil? ? text.split(/ /, -1).first(tokens).join(" ") : @cutting.similarity(text, [])
    end
  end

  # What the operations of convergent retrieval share.
  module ConvergenceCases
    MODULUS = 2**31
    ROUND = %w[query_vector ranking mean jaccard gain next_cosine_to_q0].freeze

    module_function

    # Vectors drawn by a linear congruential generator; their components fit single floats unless of length 1.
    def drawn(count, dimension, seed, unit: false)
      Array.new(count) do
        vector = Array.new(dimension) do
          seed = ((seed * 1_103_515_245) + 12_345) % MODULUS
          ((seed >> 16) / 32_768.0) - 0.5
        end
        unit ? HybridSearch::Base::Numeric.normalize(vector) : vector
      end
    end

    # Vectors that are nearly alike: what is drawn is added to 1.0 in steps of the last bit of a single float.
    def close(count, dimension, seed)
      drawn(count, dimension, seed).map do |vector|
        vector.map { |component| 1.0 + (((component + 0.5) * 32).to_i / 8_388_608.0) }
      end
    end

    def index(given)
      options = { repo_name: given.fetch("repo_name", "") }
      unless given.key?("drawn")
        return HybridSearch::BlockIndex.new(given["blocks"], given["vectors"], notes: given["notes"] || {}, **options)
      end

      drawn = given["drawn"]
      blocks = Array.new(drawn["blocks"]) { |row| { "file_path" => "f#{row % drawn["files"]}.py" } }
      shape = drawn.values_at("blocks", "dimension", "seed")
      unit = drawn.fetch("unit", false)
      vectors = drawn.fetch("close", false) ? close(*shape) : drawn(*shape, unit:)
      HybridSearch::BlockIndex.new(blocks, vectors, **options)
    end

    # A folder with the files of a case: texts, blanks behind them up to a number of bytes, or the target of a link.
    def repositories(given)
      Dir.mktmpdir do |folder|
        others = given.fetch("hex_files", {}).transform_values { |digits| [digits].pack("H*") }
        padded = given.fetch("padded", {}).transform_values { |text, size| text.ljust(size) }
        given.fetch("files", {}).merge(others, padded).each do |path, content|
          place = File.join(folder, path)
          FileUtils.mkdir_p(File.dirname(place))
          File.binwrite(place, content)
        end
        given.fetch("links", {}).each { |path, target| File.symlink(target, File.join(folder, path)) }
        given.fetch("folders", []).each { |path| FileUtils.mkdir_p(File.join(folder, path)) }
        yield folder
      end
    end

    def round(made)
      ROUND.to_h { |name| [name, made.public_send(name)] }
    end

    def block(located)
      { "row" => located.row, "tier" => located.tier, "score" => located.score,
        "stage1_score" => located.stage1_score }
    end

    def retriever(index, model, folder, options)
      HybridSearch::ConvergentRetriever.new(index, rerank_model: model, repos_root: folder,
                                                   **options.transform_keys(&:to_sym))
    end

    def seal(path, given)
      place = File.join(path, HybridSearch::Convergence::IndexFiles::MANIFEST)
      manifest = JSON.parse(File.read(place)).except("checksum")
      given.fetch("files", {}).each do |name, digits|
        content = [digits].pack("H*")
        File.binwrite(File.join(path, name), content)
        manifest["files"][name] = Digest::SHA256.hexdigest(content)
      end
      manifest.update(given.fetch("manifest", {}))
      File.write(place, HybridSearch::Convergence::IndexFiles.new(path).send(:sealed, manifest))
    end

    def damage(folder, files, given)
      given.fetch("damage", []).each do |name, place, bits|
        content = files.fetch(name).dup
        content.setbyte(place, content.getbyte(place) ^ bits)
        File.binwrite(File.join(folder, name), content)
      end
      given.fetch("missing", []).each { |name| File.unlink(File.join(folder, name)) }
    end
  end

  operation("convergence.locate") do |params, given, trace|
    index = ConvergenceCases.index(given)
    script = given.fetch("model", {})
    model = given.key?("cutting") ? Cutting.new(script, given["cutting"]) : ScriptedModel.new(script)
    vector = given["vector"] || ConvergenceCases.drawn(1, index.dimension, given["query_seed"]).first
    located = ConvergenceCases.repositories(given) do |folder|
      root = File.join(folder, given.fetch("root", ""))
      retriever = ConvergenceCases.retriever(index, model, root, params.fetch("options", {}))
      candidates = retriever.retrieve_candidates(vector)
      candidates.rounds.each { |made| trace.stage("dense leg rank", ConvergenceCases.round(made)) }
      trace.stage("fuse", candidates.blocks)
      again = retriever.retrieve_candidates(vector)
      raise "the same question has another answer the second time" if again != candidates

      retriever.locate(given.fetch("query", "q"), vector)
    end
    blocks = located.blocks.map { |block| ConvergenceCases.block(block) }
    trace.stage("rerank", blocks)
    located.to_h.merge(
      "blocks" => blocks, "rounds" => located.rounds.size, "stop_reason" => located.stop_reason,
      "rerank_status" => located.rerank_status, "warnings" => located.warnings, "asked" => model.asked
    )
  end

  operation("convergence.options") do |params, given, _trace|
    index = HybridSearch::BlockIndex.new([{}], [[1.0, 0.0]])
    model = given.fetch("model") { ScriptedModel.new({}) }
    ConvergenceCases.retriever(index, model, given.fetch("repos_root", "repositories"), params.fetch("options", {}))
    true
  end

  operation("convergence.index_files") do |_params, given, trace|
    Dir.mktmpdir do |folder|
      path = File.join(folder, "index")
      ConvergenceCases.index(given).write(path)
      files = Dir.children(path).to_h { |name| [name, File.binread(File.join(path, name))] }
      digests = files.transform_values { |content| Digest::SHA256.hexdigest(content) }
      trace.stage("write", digests)
      ConvergenceCases.damage(path, files, given)
      ConvergenceCases.seal(path, given["sealed"]) if given.key?("sealed")
      index = HybridSearch::BlockIndex.open(path)
      {
        "files" => digests,
        "blocks" => index.blocks.map(&:to_h),
        "paths" => (0...index.size).map { |row| index.file(row) },
        "vectors" => (0...index.size).map { |row| index.rows.row(row) },
        "repo_name" => index.repo_name,
        "notes" => index.notes
      }
    end
  end
end
