# frozen_string_literal: true

# Checks that fixtures cannot make because they contain only results (RET-7).
RSpec.describe HybridSearch::Retriever, unchecked: "pages of many documents", nightly: "with every call checked" do
  # Counts its searches, and runs a block before one of them.
  watched = Class.new(HybridSearch::MemoryDocStore) do
    attr_reader :searches, :before

    def initialize
      super
      @searches = []
      @before = {}
    end

    def search(offset:, limit:, **options)
      before.delete(searches.size)&.call
      searches << [offset, limit]
      super
    end
  end

  fused = { profile: "balanced", similarity_threshold: 0.0 }

  let(:store) { watched.new }
  let(:asked) { [] }
  let(:embedder) do
    lambda do |texts|
      asked << texts
      texts.map { [1.0, 0.0] }
    end
  end

  def filled(every, **options)
    HybridSearch::Index.new(store:, embedding: embedder).add((0...200).map do |number|
      vector = (number % every).zero? ? [1.0, number / 1000.0] : [0.1, 1.0]
      { id: format("%03d", number), content: "red", vector: }
    end)
    embedding = HybridSearch::Embedding.new(embedder)
    described_class.new(store, HybridSearch::QueryBuilder.new, embedding,
                        full_pages: true, vector_similarity_weight: 1.0, similarity_threshold: 0.5, **options)
  end

  def ids(pages)
    pages.flat_map { |page| page.map(&:chunk_id) }
  end

  it "searches once if the first block fills the page, and twice if it does not" do
    page = filled(1).retrieve("red", page_size: 10, **fused)
    expect(page).to have_attributes(size: 10, total: 200, total_is_lower_bound?: false, total_is_upper_bound?: false)
    expect(store.searches).to eq([[0, 70]])
    expect(asked.size).to eq(1)
  end

  it "computes the question's vector once, even if a page needs several blocks" do
    expect(filled(1).retrieve("red", page: 9, page_size: 10, **fused).size).to eq(10)
    expect(store.searches).to eq([[0, 70], [0, 1024]])
    expect(asked.size).to eq(1)
  end

  it "ranks candidates that a threshold may exclude in one search" do
    expect(filled(20).retrieve("red", page_size: 10)).to have_attributes(size: 10, total: 10)
    expect(store.searches).to eq([[0, 1024]])
  end

  it "counts documents once for each ranked block, not for each page", unchecked: "200 pages" do
    walked = filled(1).each_page("red", page_size: 1, **fused).to_a
    expect(walked.size).to eq(200)
    expect(walked.map { |page| page.doc_aggs.object_id }.uniq.size).to eq(7)
  end

  [3, 10].product([false, true]).each do |page_size, exact_total|
    it "walks through the pages that single searches return: #{page_size}, #{exact_total}",
       unchecked: "many pages" do
      retriever = filled(13)
      walked = retriever.each_page("red", page_size:, exact_total:).to_a
      walked.each do |page|
        single = retriever.retrieve("red", page_size:, page: page.page, exact_total:)
        expect(single.to_h.except("timings")).to eq(page.to_h.except("timings"))
      end
      expect(ids(walked).uniq.size).to eq(16)
      expect(walked.last).to have_attributes(total: 16, total_is_lower_bound?: false, pages: walked.size)
      expect(walked[0..-2].map(&:size).uniq - [page_size]).to be_empty
    end
  end

  it "scores only the blocks that the page needs by a model" do
    scored = []
    model = lambda do |_query, texts|
      scored << texts.size
      [1.0] * texts.size
    end
    retriever = filled(3, rerank_model: model)
    expect(retriever.retrieve("red", page_size: 10)).to have_attributes(total: 200, total_is_lower_bound: false,
                                                                        total_is_upper_bound?: true)
    expect(retriever.retrieve("red", page_size: 10, exact_total: true))
      .to have_attributes(total: 200, pages: 20, total_is_upper_bound?: false)
    expect(scored).to eq([70, 70, 70, 60])
  end

  it "reads everything block by block" do
    pages = []
    filled(3).each_page("", match_all: true, page_size: 7) { |page| pages << page }
    expect(pages.map { |page| page.chunks.size }).to eq(([7] * 28) + [4])
    expect(pages.map(&:total).uniq).to eq([200])
    expect(store.searches).to eq([[0, 70], [70, 70], [140, 70]])
  end

  it "repeats nothing when the store changes between the searches of a page" do
    retriever = filled(3)
    before = ids([retriever.retrieve("red", page_size: 100, **fused)])
    store.searches.clear
    more = [{ id: "!", content: "red", vector: [1.0, 0.0] }]
    store.before[1] = -> { HybridSearch::Index.new(store:, embedding: embedder).add(more) }
    expect(ids([retriever.retrieve("red", page_size: 100, **fused)])).to contain_exactly("!", *before.first(99))
  end

  [
    fused,
    { profile: "balanced", similarity_threshold: 0.3 },
    { **fused, topk: 100 },
    { **fused, profile: "dify" },
    { **fused, profile: "dify", fusion: "weighted_sum" },
    { profile: "ragflow" },
    { profile: "ragflow", vector_similarity_weight: 0.0 },
    { profile: "ragflow", order_by: [%w[id asc]] },
    { profile: "ragflow", rerank_model: ->(_query, texts) { [0.9] * texts.size } },
    { **fused, rerank_model: ->(_query, texts) { [-0.9] * texts.size } }
  ].each do |options|
    it "has the same totals and facets on every page: #{options}", unchecked: "many pages" do
      given = { page_size: 10, facets: ["doc_id"], facet_limit: 1000, **options }
      pages = filled(3).each_page("red", **given).to_a
      totals = pages.map { |page| [page.total, page.pages, page.total_is_lower_bound, page.total_is_upper_bound] }.uniq
      upper = options.key?(:rerank_model) && options[:profile] == "ragflow"
      expect(totals).to eq([[ids(pages).size, pages.size, options[:topk] == 100, upper]])
      counted = pages.map { |page| page.facets["doc_id"].sum { |entry| entry["count"] } }
      expect(counted.uniq).to eq([ids(pages).size])
    end
  end
end
