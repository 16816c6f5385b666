# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # A text query over boosted fields (DOC-1, QRY-8).
    class MatchTextExpr
      include Base::Value

      # @return [Array<Array(String, Float)>] field name and boost, in the order of QRY-1
      attr_reader :fields
      # @return [Tree::Term, Tree::Phrase, Tree::AnyOf, Tree::Boost, Tree::Group] the query tree
      attr_reader :tree
      # @return [Integer] the maximum number of documents in the text leg
      attr_reader :topn
      # @return [Hash{String=>Object}] `original_query`, `minimum_should_match` (Integer: a count, Float: a fraction)
      attr_reader :extra_options

      def initialize(fields:, tree:, topn: 100, extra_options: {})
        @fields = fields.map { |name, boost| [name, boost].freeze }.freeze
        @tree = tree
        @topn = topn
        @extra_options = extra_options.dup.freeze
        freeze
      end

      # @return [MatchTextExpr] the same query with another limit
      def with_topn(topn)
        with(topn:)
      end
    end

    # A bag of tokens that is searched for in several fields at once (QRY-11, DOC-9).
    class MatchBm25fExpr
      include Base::Value

      # @return [Array<Array(String, Float)>] field name and weight, in the order of the sum
      attr_reader :fields
      # @return [Array<String>] the tokens in their order, with repeats
      attr_reader :tokens
      # @return [Integer] the maximum number of documents in the text leg
      attr_reader :topn

      def initialize(fields:, tokens:, topn: 100)
        @fields = fields.map { |pair| pair.dup.freeze }.freeze
        @tokens = tokens.dup.freeze
        @topn = topn
        freeze
      end

      # @return [MatchBm25fExpr] the same query with another limit
      def with_topn(topn)
        with(topn:)
      end
    end

    # A nearest-neighbour query (EMB-1).
    class MatchDenseExpr
      include Base::Value

      # @return [String] the vector field, `q_{dim}_vec`
      attr_reader :field
      # @return [Array<Float>] the query vector, finite, not zero
      attr_reader :vector
      # @return [String] always "float"
      attr_reader :embedding_data_type
      # @return [String] always "cosine"
      attr_reader :distance_type
      # @return [Integer] the maximum number of documents in the dense leg
      attr_reader :topn
      # @return [Hash{String=>Object}] `similarity`, the lowest cosine of a match
      attr_reader :extra_options

      def initialize(field:, vector:, topn: 10, extra_options: {})
        @field = field
        @vector = vector.dup.freeze
        @embedding_data_type = "float"
        @distance_type = "cosine"
        @topn = topn
        @extra_options = extra_options.dup.freeze
        freeze
      end
    end
  end
end
