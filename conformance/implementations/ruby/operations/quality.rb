# frozen_string_literal: true

require "corpora"

# The port's side of the conformance suite.
module Conformance
  # Operations of the ranking table: what each way of searching ranks first for one query of a collection.
  class QualityRanker
    TOPK = 1024
    DEPTH = 50
    NO_THRESHOLD = -1e9
    NORMALIZERS = %w[min_max none].freeze
    CANDIDATES = 200
    # What the name of a way begins with that weighs vectors and keywords (DFY-2): `Dify 0.3/0.7`.
    WEIGHED = "Dify "
    # Fusions of the bag of tokens and the vectors, in the order of which results stay (RET-10).
    BALANCED = { "balanced" => "auto", "balanced min_max" => "min_max", "balanced rrf" => "rrf" }.freeze
    # Ways that need no leg of the others.
    ALONE = ["bm25f", *BALANCED.keys].freeze

    # @return [Corpora::Collection]
    attr_reader :collection

    def initialize(folder, model, fields)
      @collection = Corpora::Collection.new(folder, model)
      @builder = HybridSearch::QueryBuilder.new(fields:)
      @store = @collection.store
      @embedding = @collection.embedding
      @retriever = HybridSearch::Retriever.new(@store, @builder, @embedding)
      cache = HybridSearch::KeywordCache.new(capacity: 1_000_000)
      @keyword_cosine = HybridSearch::PostProcessors::KeywordCosine.new(cache)
      @texts = @collection.documents.to_h { |one| [one["_id"], "#{one["title"]} #{one["text"]}"] }
    end

    # Each leg is searched once for all ways, but for those of {ALONE}.
    #
    # @return [Hash{String=>Array<String>}] the first ids of the ways of searching that are asked for, by name; none of
    #   those that need vectors without
    def rankings(place, ways, weights, vector_similarity_weight)
      question = @collection.queries.fetch(place).fetch("text")
      rankings = balanced(question, ways)
      rankings.merge!(of_legs(question, ways, weights, vector_similarity_weight)) unless (ways - ALONE).empty?
      rankings.slice(*ways)
    end

    private

    # RAGFlow's query and the vectors, alone and fused, and what is reranked.
    def of_legs(question, ways, weights, vector_similarity_weight)
      text, = @builder.build_text_query(question)
      text_leg = text ? @store.text_leg(text.with_topn(TOPK)) : []
      nearest = nearest(question)
      found = { "full text" => text_leg }
      found.merge!(fused([text_leg, nearest.first(TOPK)], ways, weights)) if @embedding
      rankings = found.transform_values { |ranking| ranking.first(DEPTH).map(&:first) }
      if ways.include?("hybrid rerank")
        rankings["hybrid rerank"] = reranked(question, weights, vector_similarity_weight)
      end
      rankings.merge!(weighted(question, text_leg, nearest, ways))
    end

    # All documents with their cosines, best first; none without vectors.
    def nearest(question)
      return [] unless @embedding

      dense = @embedding.match_dense(question, topk: [TOPK, @store.count].max, similarity: -1.0)
      @store.dense_leg(dense)
    end

    # The bag of tokens alone, and its fusions.
    def balanced(question, ways)
      found = BALANCED.slice(*ways).transform_values do |fusion|
        page = @retriever.retrieve(question, profile: "balanced", fusion:, page_size: DEPTH, topk: TOPK, aggs: false)
        page.chunks.map(&:chunk_id)
      end
      found["bm25f"] = bag_leg(question) if ways.include?("bm25f")
      found
    end

    def bag_leg(question)
      bag = @builder.build_bm25f_query(question)
      bag ? @store.rank([bag.with_topn(DEPTH)]).map(&:first) : []
    end

    def reranked(question, weights, vector_similarity_weight)
      page = @retriever.retrieve(
        question, page_size: DEPTH, topk: TOPK, similarity_threshold: NO_THRESHOLD, weights:,
                  vector_similarity_weight:, aggs: false
      )
      page.chunks.map(&:chunk_id)
    end

    # Dify's weighted score of titles and texts, over the union of both legs' first: what a PostProcessor does, with the
    # keywords compared once for all weights.
    def weighted(question, text_leg, nearest, ways)
      pairs = ways.select { |way| way.start_with?(WEIGHED) }.to_h { |way| [way, way.delete_prefix(WEIGHED).split("/")] }
      pairs.select! { |_, (vectors, _)| Float(vectors).zero? } unless @embedding
      return {} if pairs.empty?

      documents = candidates(text_leg, nearest)
      keywords = @keyword_cosine.scores(question, documents.map(&:page_content))
      pairs.transform_values do |pair|
        weights = HybridSearch::PostProcessors::ScoreWeights.parse(pair.join(","))
        scored = HybridSearch::PostProcessors::WeightedScore.score(documents, keywords, weights)
        HybridSearch::PostProcessors::RankedList.best(scored, DEPTH).map(&:doc_id)
      end
    end

    def candidates(text_leg, nearest)
      cosines = nearest.to_h
      ids = nearest.first(CANDIDATES).map(&:first) | text_leg.first(CANDIDATES).map(&:first)
      ids.map do |identifier|
        metadata = { "doc_id" => identifier, "vector_score" => cosines.fetch(identifier, 0.0) }
        HybridSearch::Document.new(@texts.fetch(identifier), metadata)
      end
    end

    def fused(legs, ways, weights)
      expressions = {
        "weighted_sum" => HybridSearch::AdapterKit::FusionExpr.new("weighted_sum", TOPK, { "weights" => weights }),
        "rrf" => HybridSearch::AdapterKit::FusionExpr.new("rrf", TOPK)
      }
      wanted = expressions.slice(*ways)
      { "dense" => legs[1] }.merge(wanted.transform_values do |one|
                                     HybridSearch::Fusion.fuse(one, legs, normalizer: NORMALIZERS)
                                   end)
    end
  end

  @quality_ranker = nil

  class << self
    attr_accessor :quality_ranker
  end
end

Conformance.operation("quality.load") do |params, given, _trace|
  Conformance.quality_ranker = Conformance::QualityRanker.new(given["path"], params["model"], params["fields"])
  collection = Conformance.quality_ranker.collection
  { "documents" => collection.documents.size, "queries" => collection.queries.size }
end

Conformance.operation("quality.rankings") do |params, given, _trace|
  Conformance.quality_ranker.rankings(
    given["query"], params.fetch("ways"), params.fetch("weights", "0.05,0.95"),
    params.fetch("vector_similarity_weight", 0.3)
  )
end
