# frozen_string_literal: true

RSpec.describe HybridSearch::Retriever do
  retriever = nil
  before(:context) { retriever = over(records) }

  def over(records)
    store = HybridSearch::MemoryDocStore.new
    embedding = HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 64))
    HybridSearch::Index.new(store:, embedding:).add(records)
    described_class.new(store, HybridSearch::QueryBuilder.new, embedding, full_pages: true, similarity_threshold: 0.0)
  end

  def records
    (0...90).map do |number|
      { id: format("%03d", number), content: "rule #{number % 7}-#{number % 3}-#{number} about assignment and loops" }
    end
  end

  [1, 7, 10, 30, 64].each do |page_size|
    it "shows every candidate once in pages of #{page_size}", unchecked: "many pages" do
      pages = retriever.each_page("rule 6-2-1 assignment", page_size:).to_a
      shown = pages.flat_map { |page| page.chunks.map(&:chunk_id) }
      expect(shown.size).to eq(90)
      expect(shown.uniq.size).to eq(90)
      second = retriever.retrieve("rule 6-2-1 assignment", page_size:, page: 2)
      expect(second.chunks.map(&:to_h)).to eq(pages[1].chunks.map(&:to_h))
    end
  end

  it "does not depend on the order of insertion", unchecked: "two whole collections" do
    found = [retriever, over(records.reverse)].map do |one|
      one.retrieve("rule 6-2-1 loops", page_size: 50).chunks.map(&:to_h)
    end
    expect(found.first).to eq(found.last)
  end

  it "explains similarities so that they can be recomputed" do
    result = retriever.retrieve("rule 6-2-1 assignment", explain: true)
    explained = result.explain
    result.chunks.zip(explained["chunks"]) do |chunk, parts|
      again = (explained["vtweight"] * parts["vector_similarity"]) + (explained["tkweight"] * parts["term_similarity"])
      expect(again + parts["rank_feature"]).to eql(chunk.similarity)
    end
  end

  it "passes the question as typed and one text per document to the model" do
    seen = []
    model = lambda do |query, texts|
      seen << [query, texts.size]
      [0.5] * texts.size
    end
    retriever.retrieve("Rule 6-2-1 ？", rerank_model: model, page_size: 10)
    expect(seen).to eq([["Rule 6-2-1 ？", 70]])
  end

  it "turns a failing model into a warning or an error" do
    model = ->(_query, _texts) { raise "gone" }
    expect(retriever.retrieve("rule", rerank_model: model).warnings).not_to be_empty
    expect { retriever.retrieve("rule", rerank_model: model, fail_open: false) }
      .to raise_error(HybridSearch::RerankError, /gone/)
  end

  it "serves several threads alike", unchecked: "the checks do not suit threads, and take half a minute" do
    questions = (0...8).map { |number| "rule #{number}" }
    expected = questions.map { |question| retriever.retrieve(question).chunks.map(&:to_h) }
    found = questions.map { |question| Thread.new { retriever.retrieve(question).chunks.map(&:to_h) } }.map(&:value)
    expect(found).to eq(expected)
  end

  it "refuses unknown options with the nearest name" do
    expect { retriever.retrieve("rule", pagesize: 3) }
      .to raise_error(HybridSearch::InvalidInputError, /did you mean "page_size"/)
    expect { described_class.new(HybridSearch::MemoryDocStore.new, HybridSearch::QueryBuilder.new, top_k: 3) }
      .to raise_error(HybridSearch::InvalidInputError, /unknown option "top_k"/)
  end

  it "accepts records from a stream and reports its progress" do
    stream = HybridSearch::Index.new
    told = []
    records = (0...5).lazy.map { |number| { id: number.to_s, content: "x" } }
    expect(stream.add(records, batch_size: 2, progress: ->(done, total) { told << [done, total] })).to eq(5)
    expect(told).to eq([[2, -1], [4, -1], [5, -1]])
  end
end
