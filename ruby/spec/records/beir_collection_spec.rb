# frozen_string_literal: true

require "json"
require "tmpdir"
require "zlib"
require_relative "../spec_helper"

# Collections in the form of BEIR, from real folders (IDX-3).
RSpec.describe HybridSearch::BeirCollection do
  folder = File.join(WarningsAsErrors::ROOT, "fixtures/corpora/finance_faq")

  it "reads all documents, queries and judgements" do
    lines = File.readlines(File.join(folder, "corpus.jsonl")).map { |line| JSON.parse(line) }
    index = HybridSearch::Index.from_beir(folder, embedding: HybridSearch::HashingEmbedder.new(dimension: 16))
    expect(index.count).to eq(lines.size)
    expect(lines.map { |line| index.get(line["_id"])["content"] }).to eq(lines.map { |line| line["text"] })
    collection = described_class.new(folder)
    expect(collection.qrels.keys - collection.queries.keys).to eq([])
    expect(collection.qrels.values.flat_map(&:keys).uniq).to all(satisfy { |id| index.exists?(id) })
  end

  it "reads compressed files" do
    Dir.mktmpdir do |place|
      %w[corpus.jsonl queries.jsonl qrels.tsv].each do |name|
        File.binwrite(File.join(place, "#{name}.gz"), Zlib.gzip(File.binread(File.join(folder, name))))
      end
      ours = described_class.new(folder)
      compressed = described_class.new(place)
      expect(compressed.records.to_a).to eq(ours.records.to_a)
      expect([compressed.queries, compressed.qrels]).to eq([ours.queries, ours.qrels])
    end
  end

  it "refuses a path that is not a folder" do
    [5, nil, "", "no such folder", "a\0b"].each do |given|
      expect { described_class.new(given) }
        .to raise_error(HybridSearch::InvalidInputError, /\Afolder must be the path of a folder, not /)
    end
    expect { HybridSearch::Index.from_beir }.to raise_error(HybridSearch::InvalidInputError, "folder is missing")
    expect { HybridSearch::Index.from_beir(folder, titel_weight: 1) }
      .to raise_error(HybridSearch::InvalidInputError, /unknown option "titel_weight"/)
  end
end
