# frozen_string_literal: true

require "spec_helper"

$LOAD_PATH.unshift(File.expand_path("../../../conformance/implementations/ruby", __dir__))
require "corpora"

RSpec.describe HybridSearch::RetrievalService do
  seed = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"
  methods = %w[semantic_search full_text_search keyword_search hybrid_search]
  weighted = {
    reranking_enable: true, reranking_mode: "weighted_score",
    weights: { vector_setting: { vector_weight: 0.3 }, keyword_setting: { keyword_weight: 0.7 } }
  }

  let(:collection) { Conformance::Corpora.load("rule_table") }
  let(:service) { described_class.new(collection.store, embedding: collection.embedding) }

  it "puts the right row first by keywords and vectors, but not by vectors alone",
     unchecked: "a corpus with embeddings" do
    dense = service.retrieve(seed, top_k: 200, explain: true).explain["rows"]
    rows = service.retrieve(seed, search_method: "hybrid_search", top_k: 10, explain: true, **weighted).explain["rows"]
    expect(dense.map { |row| row["doc_id"] }.index("cxx-6-2-1")).to be_positive
    expect(rows[0]["doc_id"]).to eq("cxx-6-2-1")
    rows.each do |row|
      expect(row["score"]).to eq((0.3 * row["vector_score"]) + (0.7 * row["keyword_score"]))
    end
  end

  methods.product([false, true]).each do |search_method, reranked|
    it "never reorders the head of #{search_method} #{"reranked " if reranked}for a larger top_k",
       unchecked: "a corpus with embeddings" do
      settings = { search_method:, **(reranked ? weighted : {}) }
      longest = service.retrieve(seed, top_k: 200, **settings).documents.map(&:metadata)
      [1, 2, 50, 199].each do |top_k|
        expect(service.retrieve(seed, top_k:, **settings).documents.map(&:metadata)).to eq(longest.first(top_k))
      end
    end
  end

  it "returns results by every method on a small store" do
    embedding = HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 8))
    store = HybridSearch::MemoryDocStore.new
    records = ["rule 6-2-1", "rule 6-2-11", "garden"].map { |content| { "id" => content, "content" => content } }
    store.insert(HybridSearch::DocumentBuilder.new(embedding:).build_many(records))
    small = described_class.new(store, embedding:)
    methods.product([{}, weighted]).each do |search_method, reranking|
      found = small.retrieve("6-2-1", search_method:, explain: true, **reranking)
      expect(found.documents[0].doc_id).to eq("rule 6-2-1")
    end
  end

  it "runs both legs of a hybrid search at the same time" do
    here = Thread::Queue.new
    store = Class.new(HybridSearch::MemoryDocStore) do
      define_method(:search) do |match_exprs: [], **options|
        unless match_exprs.empty?
          here << true
          deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 20
          sleep(0.001) while here.size < 2 && Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline
          raise "the other leg did not come" if here.size < 2
        end
        super(match_exprs:, **options)
      end
    end.new
    store.insert([{ "id" => "a", "content_with_weight" => "rule", "content_ltks" => "rule", "q_2_vec" => [1.0, 0.0] }])
    found = described_class.new(store, embedding: ->(texts) { texts.map { [1.0, 1.0] } })
                           .retrieve("rule", search_method: "hybrid_search")
    expect([found.documents.map(&:doc_id), found.warnings]).to eq([["a"], []])
  end

  it "caches query vectors", unchecked: "a corpus with embeddings" do
    cache = HybridSearch::EmbeddingCache.new(collection.embedding)
    cached = described_class.new(collection.store, embedding: cache)
    3.times { cached.retrieve(seed, search_method: "hybrid_search", **weighted) }
    expect(cache.misses).to eq(1)
    expect(cache.hits).to be >= 2
  end

  it "returns the same results to eight threads as to one", unchecked: "hundreds of retrievals" do
    calls = collection.queries.each_slice(8).map { |queries| queries[0]["text"] }.product(methods, [{}, weighted])
    ask = lambda do |place|
      query, search_method, reranking = calls[place]
      service.retrieve(query, search_method:, top_k: 20, **reranking).to_h
    end
    clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    started = clock.call
    expected = calls.each_index.map(&ask)
    alone = clock.call - started

    started = clock.call
    threads = (0...8).map do |number|
      order = calls.each_index.to_a.shuffle(random: Random.new(number))
      Thread.new { order.to_h { |place| [place, ask.call(place) == expected[place]] } }
    end
    answers = threads.map(&:value)
    together = clock.call - started
    RSpec.configuration.reporter.message(
      format("%<alone>.0f retrievals a second alone, %<together>.0f in 8 threads",
             alone: calls.size / alone, together: 8 * calls.size / together)
    )
    expect(answers.map(&:size)).to eq([calls.size] * 8)
    expect(answers.flat_map(&:values)).to all(be(true))
  end
end
