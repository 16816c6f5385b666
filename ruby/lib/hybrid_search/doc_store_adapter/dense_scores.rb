# frozen_string_literal: true

module HybridSearch
  module Stores
    # Exact cosines (NUM-3) of one query vector with the vectors of documents. A dense leg has computed them, so that
    # the reranker need not compute them again (RNK-1).
    class DenseScores
      include Base::ShortInspect

      # @return [Array<Float>] the query vector
      attr_reader :vector
      # @return [Hash{String=>Float}] id → cosine
      attr_reader :cosines

      def initialize(vector, cosines)
        @vector = vector
        @cosines = cosines
        freeze
      end

      # @param identifier [String]
      # @return [Float, nil] the cosine of a document, or nil if it was not computed
      def cosine(identifier)
        @cosines[identifier]
      end

      # @param query_vector [Array<Float>]
      # @return [Boolean] whether these are the cosines of that query vector
      def belongs_to?(query_vector)
        @vector == query_vector
      end
    end
  end
end
