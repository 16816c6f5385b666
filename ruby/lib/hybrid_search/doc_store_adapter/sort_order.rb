# frozen_string_literal: true

module HybridSearch
  module Storing
    # The order of documents by their fields (DOC-1): `[field, "asc" or "desc"]` pairs, the first decides first.
    #
    # Numbers come before texts (by code points), the other way round descending; a document without the field, or with
    # a value of another kind, comes last in both. Of a list the smallest member counts ascending, the largest
    # descending.
    class SortOrder
      include ShortInspect

      DIRECTIONS = %w[asc desc].freeze

      # @return [Array<Array(FieldPath, Boolean)>] the path of each pair, and whether it counts descending
      attr_reader :criteria

      # @param order_by [Array<Array(String, String)>]
      # @raise [InvalidInputError] anything else
      def initialize(order_by)
        unless order_by.is_a?(::Array)
          raise Validation.failure("order_by", order_by, "a list of [field, direction] pairs")
        end

        @criteria = order_by.each_with_index.map { |pair, index| criterion("order_by[#{index}]", pair) }.freeze
        freeze
      end

      # @return [Boolean] whether there is nothing to order by
      def empty?
        @criteria.empty?
      end

      # @param ranking [Array<Array(String, Float)>] (id, score) pairs
      # @yieldparam path [FieldPath]
      # @yieldreturn [Array<Object, nil>] what these documents have there
      # @return [Array<Array(String, Float)>] the ranking in this order; what is equal stays as it is
      def arrange(ranking)
        return ranking if empty?

        columns = @criteria.map { |path, descending| yield(path).map { |value| key(value, descending) } }
        keyed = ranking.each_with_index.map { |pair, place| [columns.map { |column| column[place] }, place, pair] }
        keyed.sort { |left, right| compare_places(left, right) }.map(&:last)
      end

      # @param fields [Hash{String=>Object}] a document
      # @return [Array<Integer, Float, String, nil>] the value that counts in each field, nil where there is none that
      #   can be ordered
      def values(fields)
        @criteria.map { |path, descending| key(path.value(fields), descending)&.last }
      end

      # @param left [Array<Integer, Float, String, nil>] the values of a document
      # @param right [Array<Integer, Float, String, nil>] those of another one
      # @return [Integer] -1 where the left ones come first, 1 where the right ones do, else 0
      def compare(left, right)
        compare_all(left.map { |value| scalar(value) }, right.map { |value| scalar(value) })
      end

      private

      def criterion(name, pair)
        raise Validation.failure(name, pair, "a [field, direction] pair") unless pair.is_a?(::Array) && pair.size == 2

        path = FieldPath.of(Validation.text("#{name}[0]", pair[0]))
        [path, Validation.choice("#{name}[1]", pair[1], DIRECTIONS) == "desc"].freeze
      end

      def compare_places(left, right)
        order = compare_all(left[0], right[0])
        order.zero? ? left[1] <=> right[1] : order
      end

      def compare_all(left, right)
        @criteria.each_with_index do |(_, descending), index|
          order = compare_keys(left[index], right[index], descending)
          return order unless order.zero?
        end
        0
      end

      def compare_keys(left, right, descending)
        return (left ? 0 : 1) <=> (right ? 0 : 1) unless left && right

        descending ? right <=> left : left <=> right
      end

      def key(value, descending)
        keys = (value.is_a?(::Array) ? value : [value]).filter_map { |member| scalar(member) }
        descending ? keys.max : keys.min
      end

      def scalar(value)
        case value
        when ::Integer, ::Float then [0, value]
        when ::String then [1, value]
        end
      end
    end
  end
end
