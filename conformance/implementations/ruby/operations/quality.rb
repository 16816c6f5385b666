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

    # @return [Corpora::Collection]
    attr_reader :collection

    def initialize(folder, model, fields)
      @collection = Corpora::Collection.new(folder, model)
      @builder = HybridSearch::QueryBuilder.new(fields:)
      @store = @collection.store
      @embedding = @collection.embedding
      @retriever = HybridSearch::Retriever.new(@store, @builder, @embedding)
    end

    # @return [Hash{String=>Array<String>}] the first ids of every way of searching, by its name
    def rankings(place, weights, vector_similarity_weight)
      question = @collection.queries.fetch(place).fetch("text")
      text, = @builder.build_text_query(question)
      text_leg = text ? @store.text_leg(text.with_topn(TOPK)) : []
      found = { "full text" => text_leg }
      found.merge!(fused(question, text_leg, weights)) if @embedding
      rankings = found.transform_values { |ranking| ranking.first(DEPTH).map(&:first) }
      page = @retriever.retrieve(
        question, page_size: DEPTH, topk: TOPK, similarity_threshold: NO_THRESHOLD, weights:,
                  vector_similarity_weight:, aggs: false
      )
      rankings["hybrid rerank"] = page.chunks.map(&:chunk_id)
      rankings
    end

    private

    def fused(question, text_leg, weights)
      dense = @embedding.match_dense(question, topk: TOPK, similarity: -1.0)
      legs = [text_leg, @store.dense_leg(dense)]
      weighted_sum = HybridSearch::FusionExpr.new("weighted_sum", TOPK, { "weights" => weights })
      {
        "dense" => legs[1],
        "weighted_sum" => HybridSearch::Fusion.fuse(weighted_sum, legs, NORMALIZERS),
        "rrf" => HybridSearch::Fusion.fuse(HybridSearch::FusionExpr.new("rrf", TOPK), legs, NORMALIZERS)
      }
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
    given["query"], params.fetch("weights", "0.05,0.95"), params.fetch("vector_similarity_weight", 0.3)
  )
end
