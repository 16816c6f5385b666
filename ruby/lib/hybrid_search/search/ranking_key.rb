# frozen_string_literal: true

module HybridSearch
  module Search
    # The place of a hit in the one total order of a search (CUR-2, ORD-2): the values that are compared, in this order.
    class RankingKey
      include Base::ShortInspect

      # @return [Array<Integer, Float, String, nil>] the values of the document in the fields of `order_by`; empty
      #   without `order_by`
      attr_reader :values
      # @return [Integer] 0 if a model scored it, else 1
      attr_reader :tier
      # @return [Float] the score that determines its rank within its tier
      attr_reader :score
      # @return [Float] its similarity before reranking by a model
      attr_reader :stage1_score
      # @return [String]
      attr_reader :id

      def initialize(values, tier, score, stage1_score, id)
        @values = values.freeze
        @tier = tier
        @score = score
        @stage1_score = stage1_score
        @id = id
        freeze
      end

      # @return [Array(Integer, Float, Float, String)] the values that ORD-2 compares
      def tiered
        [tier, score, stage1_score, id]
      end
    end

    # The total order of a request: `order_by`, then that of ORD-2.
    class RankingOrder
      include Base::ShortInspect

      # @param order_by [Array<Array(String, String)>] the pairs of the request, in the names of the store
      def initialize(order_by)
        @fields = order_by.empty? ? Stores::Queries::SortOrder::NONE : Stores::Queries::SortOrder.new(order_by)
        @by_fields = !order_by.empty?
        freeze
      end

      # @return [Boolean] whether fields decide first
      def by_fields?
        @by_fields
      end

      # @param fields [Hash{String=>Object}] a document
      # @return [Array<Integer, Float, String, nil>] its values in the fields of `order_by`
      def values(fields)
        @fields.values(fields)
      end

      # @param keys [Array<RankingKey>]
      # @return [Array<RankingKey>] keys in this order
      def sorted(keys)
        @by_fields ? keys.sort { |left, right| compare(left, right) } : Base::Ordering.rank_tiered(keys)
      end

      # @param left [RankingKey]
      # @param right [RankingKey]
      # @return [Integer] a number below 0 if the left one comes first, above 0 if the right one does, otherwise 0
      def compare(left, right)
        by_fields = @fields.compare(left.values, right.values)
        by_fields.zero? ? Base::Ordering.compare_tiered(left.tiered, right.tiered) : by_fields
      end

      # The order of requests without `order_by`.
      BY_SCORE = new([])
    end
  end
end
