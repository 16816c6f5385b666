# frozen_string_literal: true

require "json"
require "open3"
require "hybrid_search"

RSpec.describe HybridSearch::Base::Value do
  let(:index) { HybridSearch::Index.new.tap { |made| made.add(records) } }
  let(:records) do
    [
      { id: "1", content: "MISRA C++ rule 6-2-1: no assignment in sub-expressions", document_name: "misra.pdf",
        keywords: ["rule"], metadata: { lang: "en" } },
      { id: "2", content: "rule 7" }
    ]
  end
  let(:retriever) do
    HybridSearch::Retriever.new(index.store, HybridSearch::QueryBuilder.new, similarity_threshold: 0.0)
  end
  let(:result) { retriever.retrieve("rule 6-2-1") }
  let(:chunk) { result.first }

  it "compares by parts, as a key of a Hash too" do
    other = retriever.retrieve("rule 6-2-1").first
    expect(chunk).to eq(other)
    expect(chunk).to be_frozen
    expect({ chunk => 1 }[other]).to eq(1)
    expect(chunk).not_to eq(result.to_a[1])
    expect(chunk).not_to eq("a text")
  end

  it "returns copies with other parts, and refuses unknown parts" do
    expect(chunk.with(similarity: 1.0).similarity).to eq(1.0)
    expect { chunk.with(similarty: 1.0) }.to raise_error(HybridSearch::InvalidInputError, /did you mean "similarity"/)
    expect(HybridSearch::AdapterKit::FusionExpr.new("rrf", 5).with(topn: 7).topn).to eq(7)
    expect(HybridSearch::AdapterKit::Tree::Term.new("a", escape: false).with(text: "b").escape).to be(false)
  end

  it "is matched by patterns" do
    expect(chunk.deconstruct_keys(%i[chunk_id content])).to eq({ chunk_id: "1" })
    chunk => { chunk_id:, similarity: Float => similarity }
    expect([chunk_id, similarity]).to eq(["1", chunk.similarity])
  end

  it "prints itself in one short line, even with large contents" do
    expect(chunk.inspect).to start_with('#<HybridSearch::Chunk chunk_id="1", ')
    expect(result.inspect).to include("chunks=[2 items]")
    dense = HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_2_vec", vector: [0.5] * 4096)
    shown = [chunk, result, dense].map(&:inspect)
    expect(shown.map(&:length).max).to be < 600
    expect(shown.join).not_to include("\n")
  end

  it "shows texts of at most forty characters whole" do
    shown = [39, 40, 41].map { |size| HybridSearch::AdapterKit::Tree::Term.new("x" * size).inspect[/".*"/] }
    expect(shown).to eq([39, 40].map { |size| "\"#{"x" * size}\"" } + ["\"#{"x" * 40}…\""])
  end

  it "responds to the names that records use" do
    expect([chunk.content, chunk.document_name, chunk.keywords, chunk.metadata])
      .to eq([records[0][:content], "misra.pdf", ["rule"], { "lang" => "en" }])
    expect(chunk.to_h).to include("metadata" => { "lang" => "en" })
    expect(result.to_a[1].to_h).to include("metadata" => {})
    expect(result.to_a[1].to_h.keys).not_to include("highlight")
  end

  it "enumerates results, and returns plain data" do
    expect(result.map(&:chunk_id)).to eq(%w[1 2])
    expect([result.size, result.empty?, result.each.size]).to eq([2, false, 2])
    expect(result.as_json).to eq(result.to_h)
    expect(result.to_h["chunks"]).to eq(result.map(&:to_h))
  end

  it "is written as JSON as its plain data is" do
    index = HybridSearch::Index.new
    index.add([{ id: "1", content: "red wine" }])
    page = index.search("wine", explain: true, facets: ["id"])
    document = HybridSearch::Document.new("text", { "a" => 1 })
    located = HybridSearch::ConvergentRetriever::LocatedBlock.instance_method(:to_json)
    expect(located.owner).to eq(HybridSearch::Base::Value::ToJson)
    [result, chunk, page, page.first, page.first.scores, document].each do |value|
      expect(value.to_json).to eq(JSON.generate(value.to_h))
      expect(JSON.generate([value])).to eq(JSON.generate([value.to_h]))
      expect(JSON.pretty_generate("of" => value)).to eq(JSON.pretty_generate("of" => value.to_h))
    end
    expect(JSON.parse(result.to_json)["chunks"].first["chunk_id"]).to eq("1")
  end

  it "is written so in Rails too" do
    program = <<~RUBY
      require "active_support"
      require "active_support/json"
      require "hybrid_search"
      document = HybridSearch::Document.new("text", { "a" => 1 })
      index = HybridSearch::Index.new
      index.add([{ id: "1", content: "red wine" }])
      values = [document, index.search("wine"), index.search("wine").first]
      print values.all? { |one| one.to_json == one.to_h.to_json && [one].to_json == [one.to_h].to_json }
    RUBY
    output, errors, = Open3.capture3("ruby", "-I", File.expand_path("../../lib", __dir__), "-e", program)
    skip "ActiveSupport is not installed: bin/setup installs Rails on Debian" if errors.include?("active_support")
    expect([output, errors]).to eq(["true", ""])
  end

  it "distinguishes 1 and 1.0 as keys" do
    one = HybridSearch::AdapterKit::FusionExpr.new("rrf", 5, { "k" => 60 })
    other = one.with(params: { "k" => 60.0 })
    expect(one).to eq(other)
    expect(one).not_to eql(other)
  end
end
