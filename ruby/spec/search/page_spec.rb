# frozen_string_literal: true

require "json"

# A page and its hits as Ruby objects (CUR-4, IDX-6).
RSpec.describe HybridSearch::Page do
  index = nil
  before(:context) do
    index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 32))
    index.add([{ id: "1", title: "MISRA C++", content: "rule 6-2-1:\n no assignment", metadata: { lang: "en" },
                 page_rank: 0 },
               { id: "2", content: "rule 7 about loops", tags: { code: 2 }, questions: ["which rule?"], kb_id: "kb" },
               { id: "3", content: "规则三 rule" }])
  end

  let(:page) { index.search("rule 6-2-1") }
  let(:hit) { page.first }

  it "enumerates its hits, which can be accessed by position" do
    expect([page.size, page.length, page.count, page.empty?]).to eq([3, 3, 3, false])
    expect(page.map(&:id)).to eq(page.hits.map(&:id))
    expect([page[0], page[-1], page[1..].size, page[0, 2].size, page[9]])
      .to eq([page.first, page.hits.last, 2, 2, nil])
    expect(page.first(2)).to eq(page.hits.first(2))
    expect(page).to eq(index.search("rule 6-2-1"))
    expect(page).not_to eq(index.search("rule 6-2-1", limit: 2))
    expect(index.search("nothing of it", min_score: 2)).to be_empty
  end

  it "is matched by patterns, as a list and by its parts" do
    page => [first, *others]
    expect([first.id, others.size]).to eq(["1", 2])
    page => { total:, hits: [{ content:, score: Float => score, scores: { cosine: Float } }, *], next_cursor: nil }
    expect([total, content, score]).to eq([3, "rule 6-2-1:\n no assignment", 1.0])
    expect(index.search("").then { |none| none in [] }).to be(true)
  end

  it "converts to plain data with the names of records, and to JSON" do
    expect(page.to_h.keys)
      .to eq(%w[hits total total_is_lower_bound page pages limit next_cursor index_changed warnings])
    asked = index.search("rule", facets: ["metadata.lang"], explain: true)
    expect(asked.to_h.keys.last(2)).to eq(%w[facets explain])
    expect(asked.to_h["explain"]["hits"].map { |parts| parts["id"] }).to eq(asked.map(&:id))
    expect(JSON.parse(page.to_json)).to eq(page.to_h)
    expect(JSON.parse(JSON.generate(page: [page]))["page"][0]["hits"][0]["id"]).to eq("1")
    expect(page.as_json).to eq(page.to_h)
  end

  it "knows its position among pages" do
    second = index.search("rule", limit: 2, page: "2")
    expect([second.page, second.pages, second.limit, second.total, second.size]).to eq([2, 2, 2, 3, 1])
    expect(second).not_to be_index_changed
    expect(second).not_to be_total_is_lower_bound
    expect(index.search("rule", candidates: 2)).to be_total_is_lower_bound
  end

  it "prints itself in one line, and pretty-prints itself as a table" do
    expect(page.inspect).to eq("#<HybridSearch::Page 1 of 1: 3 of 3 hits>")
    expect(index.search("rule", candidates: 2, limit: 1).inspect)
      .to eq("#<HybridSearch::Page 1 of 2: 1 of at least 2 hits>")
    lines = page.pretty_inspect.lines(chomp: true)
    expect(lines.size).to eq(5)
    expect(lines[0]).to eq("Page 1 of 1: 3 of 3 hits")
    expect(lines[1]).to match(/\A +score +bm25 +cosine  id  hit\z/)
    expect(lines[2]).to match(/\A1\.0000 +\d\.\d{4} +\d\.\d{4}  1   MISRA C\+\+ \| rule 6-2-1: no assignment\z/)
    expect(index.search("", match_all: true, limit: 1).table.lines.last).to match(/\A +1   MISRA/)
    expect(index.search("").table).to eq("Page 1 of 0: 0 of 0 hits")
  end

  it "has hits with the fields of the record and the requested fields" do
    always = %w[id doc_id title content score scores document_name keywords positions metadata]
    expect(hit.keys).to eq([*always, "page_rank"])
    expect(page.to_h["hits"][0]).to eq(hit.to_h)
    expect([hit["title"], hit[:metadata], hit["kb_id"], hit["scores"].keys])
      .to eq(["MISRA C++", { "lang" => "en" }, nil, %w[bm25 cosine text vector rerank]])
    other = index.search("rule", include: %i[vector tokens], highlight: true).find { |one| one.id == "2" }
    expect(other.keys).to eq([*always, "kb_id", "questions", "tags", "highlight", "vector", "tokens"])
    expect([other.vector.size, other.tokens.first, other.highlight]).to eq([32, "rule", "<em>rule</em> 7 about loops"])
    expect(index.search("", match_all: true)[0]).to have_attributes(score: nil, scores: HybridSearch::Scores.new)
  end

  it "returns mutable plain data from immutable hits" do
    hit.to_h["metadata"]["lang"] = "zh"
    hit.to_h["keywords"] << "x"
    expect(hit.metadata).to eq({ "lang" => "en" })
    expect(hit).to be_frozen
    expect(page).to be_frozen
    expect(page.hits).to be_frozen
  end

  it "shows a hit in one line" do
    expect(hit.inspect).to eq('#<HybridSearch::Hit "1": 1.0000, "MISRA C++">')
    long = HybridSearch::Hit.new(id: "a", doc_id: "a", title: "", content: "word\n" * 40, score: nil,
                                 scores: HybridSearch::Scores.new)
    expect(long.inspect).to eq("#<HybridSearch::Hit \"a\": no score, \"#{"word " * 12}…\">")
  end
end
