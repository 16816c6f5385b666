# frozen_string_literal: true

module HybridSearch
  module Base
    # Cuts lists by integers of any size: Ruby's own methods refuse integers beyond a machine word.
    module Slices
      module_function

      # @param list [Array<Object>]
      # @param limit [Integer] at least 0
      # @return [Array<Object>] the first `limit` members
      def head(list, limit)
        list.first([limit, list.size].min)
      end

      # @param list [Array<Object>]
      # @param offset [Integer] at least 0
      # @param limit [Integer] at least 0
      # @return [Array<Object>] the first `limit` members from `offset` on
      def part(list, offset, limit)
        offset < list.size ? list[offset, [limit, list.size].min] : []
      end

      # @param list [Array<Object>]
      # @param size [Integer] at least 1
      # @return [Array<Array<Object>>] the list in parts of `size`
      def batches(list, size)
        list.each_slice([size, [list.size, 1].max].min).to_a
      end
    end
  end
end
