# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::PostProcessor do
  seed = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"
  rows = [
    HybridSearch::Document.new("规则编号：6-2-11 一行一条语句", { "doc_id" => "near", "vector_score" => 0.9 }),
    HybridSearch::Document.new("规则编号：6-2-1 将赋值操作移到独立语句中", { doc_id: "right", vector_score: 0.8 })
  ]

  it "lets the exact number outweigh a higher cosine" do
    found = described_class.new(:weighted_score, weights: "0.3,0.7").process(seed, rows)
    expect(found.documents.map(&:doc_id)).to eq(%w[right near])
    best = found.documents[0].metadata
    expect(best["score"]).to eq((0.3 * best["vector_score"]) + (0.7 * best["keyword_score"]))
    expect(best["keywords"]).to include("6-2-1")
  end

  it "returns copies that share no data with the input" do
    given = [{ page_content: "rule", metadata: { doc_id: "a", tags: ["x"] } }]
    found = described_class.new("weighted_score", weights: [1, 1]).process("rule", given)
    found.documents[0].metadata["tags"] << "y"
    expect(given).to eq([{ page_content: "rule", metadata: { doc_id: "a", tags: ["x"] } }])
    expect(found.documents[0]).to be_frozen
    expect(found.documents[0].metadata).to be_frozen
  end

  it "copies the parts that Dify dumps in addition to text and metadata" do
    given = [{ page_content: "rule", metadata: nil, provider: "dify", children: [{ "page_content" => "part" }] }]
    found = described_class.new("weighted_score", weights: [1, 1]).process("rule", given).documents[0]
    found.parts["children"][0]["page_content"] = "other"
    found.to_h["children"].clear
    expect(given[0][:children]).to eq([{ "page_content" => "part" }])
    expect(found.to_h["children"]).to eq([{ "page_content" => "other" }])
    expect(found.parts).to be_frozen
    expect { HybridSearch::Document.new("rule", nil, "", { provder: "dify" }) }
      .to raise_error(HybridSearch::InvalidInputError, /did you mean "provider"/)
  end

  it "refuses children that contain themselves" do
    children = []
    children << children
    expect { HybridSearch::Document.build("document", { page_content: "x", children: }) }
      .to raise_error(HybridSearch::InvalidInputError, /children must not be nested deeper than 100 levels/)
  end

  it "refuses metadata that contains itself" do
    metadata = {}
    metadata["me"] = metadata
    expect { HybridSearch::Document.new("x", metadata) }
      .to raise_error(HybridSearch::InvalidInputError, /must not be nested deeper than 100 levels/)
  end

  it "finds models by their names" do
    settings = { reranking_mode: "reranking_model", reranking_model: { reranking_model_name: "length" } }
    models = { length: ->(_query, texts) { texts.map { |text| text.length.to_f } } }
    found = described_class.from_configuration(settings, models).process("q", rows)
    expect(found.documents.map(&:doc_id)).to eq(%w[right near])
    expect { described_class.from_configuration(settings, { "lengths" => models[:length] }) }
      .to raise_error(HybridSearch::ConfigurationError, /did you mean "lengths"/)
  end
end

RSpec.describe HybridSearch::KeywordCache do
  it "extracts keywords once" do
    extractor = HybridSearch::KeywordExtractor.new
    cache = described_class.new(extractor, capacity: 2)
    first = cache.extract("alpha beta")
    expect(cache.extract("alpha beta")).to equal(first)
    cache.extract("alpha beta", limit: 1)
    cache.extract("gamma")
    expect(cache.size).to eq(2)
    again = cache.extract("alpha beta")
    expect([again.equal?(first), again.terms]).to eq([false, first.terms])
    cache.clear
    expect(cache.size).to eq(0)
  end

  it "uses an extractor that is set by name" do
    extractor = HybridSearch::KeywordExtractor.new(stop_words: ["alpha"])
    expect(described_class.new(keyword_extractor: extractor).extract("alpha beta").words).to eq(["beta"])
  end
end
