# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # The documents one search found (DOC-1), in the store's order, with what a reranker and a page need of them.
    class SearchResult
      include Base::Value

      # @return [Integer] how many documents matched, not only those returned
      attr_reader :total
      # @return [Array<String>] the ids of the returned documents, best first
      attr_reader :ids
      # @return [Hash{String=>Hash{String=>Object}}] id → field name → stored value; the vector field `q_{dim}_vec`
      #   is there when it was selected
      attr_reader :fields
      # @return [Hash{String=>Float}] id → the store's own score, finite
      attr_reader :scores
      # @return [Array<Float>, nil] the query's vector, nil when the search had no dense leg
      attr_reader :query_vector
      # @return [Hash{String=>String}] id → text with `<em>` (DOC-4)
      attr_reader :highlight
      # @return [Hash{String=>Array<Array(Object, Integer)>}] field name → list of (value, count)
      attr_reader :aggs
      # @return [Array<String>] the keywords of the question, in order
      attr_reader :keywords
      # @return [Hash{String=>Object}] id → what fast kernels of the store made of a document when it was inserted, for
      #   those of the {Reranker}; one without an entry is read anew, with the same result
      attr_reader :prepared
      # @return [Stores::DenseScores, nil] what the dense leg computed, if the store says so; the {Reranker} computes
      #   the rest, with the same result
      attr_reader :dense_scores
      # @return [Fusions::FusedLegs, nil] what each leg added to the scores, where the fusion tells (FUS-3, FUS-4)
      attr_reader :fused
      # @return [Hash{String=>Float}] id → score of all that the text leg found, if the store says so; empty without a
      #   text leg
      attr_reader :text_scores

      def initialize(total:, ids:, fields:, scores: {}, query_vector: nil, highlight: {}, aggs: {}, keywords: [],
                     prepared: {}, dense_scores: nil, fused: nil, text_scores: {})
        @total = total
        @ids = ids.dup.freeze
        @fields = fields.dup.freeze
        @scores = scores.dup.freeze
        @query_vector = query_vector.dup.freeze
        @highlight = highlight.dup.freeze
        @aggs = aggs.dup.freeze
        @keywords = keywords.dup.freeze
        @prepared = prepared.dup.freeze
        @dense_scores = dense_scores
        @fused = fused
        @text_scores = text_scores.dup.freeze
        freeze
      end

      # @param keywords [Array<String>]
      # @param query_vector [Array<Float>, nil]
      # @return [SearchResult] the result of a search with these keywords and this vector, which most stores have filled
      #   in
      def asked_with(keywords, query_vector)
        return self if @keywords == keywords && @query_vector == query_vector

        with(keywords:, query_vector:)
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}] the fields of a document; none for one that has no object of fields
      def fields_of(identifier)
        fields = @fields[identifier]
        fields.is_a?(::Hash) ? fields : {}
      end
    end
  end
end
