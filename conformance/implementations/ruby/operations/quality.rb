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
    # Ways of weighing vectors and keywords (DFY-2) over the union of both legs' first 200.
    WEIGHTS = {
      "Dify 1/0" => "1,0", "Dify 0.5/0.5" => "0.5,0.5", "Dify 0.3/0.7" => "0.3,0.7", "Dify 0/1" => "0,1"
    }.freeze

    # @return [Corpora::Collection]
    attr_reader :collection

    def initialize(folder, model, fields)
      @collection = Corpora::Collection.new(folder, model)
      @builder = HybridSearch::QueryBuilder.new(fields:)
      @store = @collection.store
      @embedding = @collection.embedding
      @retriever = HybridSearch::Retriever.new(@store, @builder, @embedding)
      @keywords = HybridSearch::KeywordCache.new(capacity: 1_000_000)
      @texts = @collection.documents.to_h { |one| [one["_id"], "#{one["title"]} #{one["text"]}"] }
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
      rankings.merge(weighted(question, text_leg))
    end

    private

    # Dify's weighted score of titles and texts.
    def weighted(question, text_leg)
      return {} unless @embedding

      documents = candidates(question, text_leg)
      WEIGHTS.transform_values do |weights|
        processor = HybridSearch::PostProcessor.new("weighted_score", weights:, keyword_extractor: @keywords)
        processor.process(question, documents, top_n: DEPTH).documents.map(&:doc_id)
      end
    end

    def candidates(question, text_leg)
      dense = @embedding.match_dense(question, topk: [1, @store.count].max, similarity: -1.0)
      cosines = @store.dense_leg(dense).to_h
      ids = cosines.keys.first(CANDIDATES) | text_leg.first(CANDIDATES).map(&:first)
      ids.map do |identifier|
        metadata = { "doc_id" => identifier, "vector_score" => cosines.fetch(identifier, 0.0) }
        HybridSearch::Document.new(@texts.fetch(identifier), metadata)
      end
    end

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
