# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # The documents that a search found, in the store's order, with the data that a reranker and a page need (DOC-1).
    class SearchResult
      include Base::Value

      # @return [Integer] the number of documents that matched, not only of those returned
      attr_reader :total
      # @return [Array<String>] the ids of the returned documents, best first
      attr_reader :ids
      # @return [Hash{String=>Hash{String=>Object}}] id → field name → stored value; the vector field `q_{dim}_vec` is
      #   included if it was selected
      attr_reader :fields
      # @return [Hash{String=>Float}] id → the store's own score, finite
      attr_reader :scores
      # @return [Array<Float>, nil] the vector of the query, nil if the search had no dense leg
      attr_reader :query_vector
      # @return [Hash{String=>String}] id → text with `<em>` (DOC-4)
      attr_reader :highlight
      # @return [Hash{String=>Array<Array(Object, Integer)>}] field name → list of (value, count)
      attr_reader :aggs
      # @return [Array<String>] the keywords of the question, in order
      attr_reader :keywords
      # @return [Hash{String=>Object}] id → data that the store's fast kernels prepared for the {Reranker} when the
      #   document was inserted. The {Reranker} prepares a document without an entry itself, with the same result
      attr_reader :prepared
      # @return [Stores::DenseScores, nil] the cosines that the dense leg computed, if the store returns them; the
      #   {Reranker} computes the rest, with the same result
      attr_reader :dense_scores
      # @return [Fusions::FusedLegs, nil] the share of each leg in the scores, if the fusion reports it (FUS-3, FUS-4)
      attr_reader :fused
      # @return [Hash{String=>Float}] id → score in the text leg, at least of the documents that are returned, if the
      #   store returns them; empty without a text leg
      attr_reader :text_scores
      # @return [Hash{String=>Float}] id → what page rank and tags add to the score in the text leg (RNK-10); empty
      #   unless they count
      attr_reader :features
      # @return [Integer, String, nil] the generation of the store, if the search has read it (DOC-11); the documents
      #   are not older
      attr_reader :generation
      # @return [Hash{String=>Hash{String=>Object}}, nil] the facts about each vector field in that generation, as
      #   {DocStoreAdapter#vector_fields} describes them, if the search has read them
      attr_reader :vector_fields
      # @return [Hash{String=>Hash{String=>Object}}, nil] id → the returned documents without their vectors, if the
      #   search was asked for them and has read them in the same state; then {#dense_scores} has all their cosines
      attr_reader :documents

      def initialize(total:, ids:, fields:, scores: {}, query_vector: nil, highlight: {}, aggs: {}, keywords: [],
                     prepared: {}, dense_scores: nil, fused: nil, text_scores: {}, features: {}, generation: nil,
                     vector_fields: nil, documents: nil)
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
        @features = features.dup.freeze
        @generation = generation
        @vector_fields = vector_fields
        @documents = documents
        freeze
      end

      # @param keywords [Array<String>]
      # @param query_vector [Array<Float>, nil]
      # @return [SearchResult] the result with these keywords and this vector; most stores have set them already
      def asked_with(keywords, query_vector)
        return self if @keywords == keywords && @query_vector == query_vector

        with(keywords:, query_vector:)
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}] the fields of a document; empty if they are missing or not an object
      def fields_of(identifier)
        fields = @fields[identifier]
        fields.is_a?(::Hash) ? fields : {}
      end
    end
  end
end
