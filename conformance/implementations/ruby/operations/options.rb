# frozen_string_literal: true

# Operations on the options of calls: what a call says to one that it does not have (ERR-1).
module OptionsOperations
  NOTHING = HybridSearch::AdapterKit::SearchResult.new(total: 0, ids: [], fields: {})
  CALLS = {
    "Index.new" => ->(options) { HybridSearch::Index.new(**options) },
    "Index.add" => ->(options) { HybridSearch::Index.new.add([], **options) },
    "Index.search" => ->(options) { HybridSearch::Index.new.search("q", **options) },
    "Index.each" => ->(options) { HybridSearch::Index.new.each("q", **options).to_a },
    "Index.similar" => ->(options) { HybridSearch::Index.new.similar("1", **options) },
    "Retriever.new" => lambda do |options|
      HybridSearch::Retriever.new(HybridSearch::MemoryDocStore.new, HybridSearch::QueryBuilder.new, **options)
    end,
    "Reranker.new" => ->(options) { HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new, **options) },
    "Reranker.rerank_by_hybrid" => ->(options) { reranker.rerank_by_hybrid(NOTHING, "q", **options) },
    "Reranker.rerank_by_model" => lambda do |options|
      reranker.rerank_by_model(->(_query, texts) { texts.size }, NOTHING, "q", **options)
    end,
    "Fusion.weighted_sum" => ->(options) { HybridSearch::Fusion.weighted_sum([], [], **options) },
    "Fusion.rrf" => ->(options) { HybridSearch::Fusion.rrf([], **options) },
    "Fusion.fuse" => lambda do |options|
      HybridSearch::Fusion.fuse(HybridSearch::AdapterKit::FusionExpr.new("rrf", 1, {}), [], **options)
    end,
    "PostProcessor.new" => ->(options) { HybridSearch::PostProcessor.new("weighted_score", **options) },
    "Segmenter.new" => ->(options) { HybridSearch::Segmenter.new(**options) },
    "DocumentBuilder.new" => ->(options) { HybridSearch::DocumentBuilder.new(**options) },
    "KeywordCache.extract" => ->(options) { HybridSearch::KeywordCache.new.extract("q", **options) }
  }.freeze

  def self.reranker
    HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new)
  end
end

Conformance.operation("options.refused") do |params, given, _trace|
  OptionsOperations::CALLS.fetch(params["call"]).call(given.transform_keys(&:to_sym))
  nil
end

Conformance.operation("options.choices") do |params, _given, _trace|
  registered = { "fusion" => HybridSearch::Fusions::FusionMethods::METHODS.keys,
                 "rerank_fusion" => HybridSearch::PartialRerank::FUSIONS }
  registered.fetch(params["option"]) { HybridSearch::Retrievers::Profiles::CHOICES.fetch(params["option"]) }
end
