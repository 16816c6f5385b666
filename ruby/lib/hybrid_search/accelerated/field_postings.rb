# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Makes postings over several fields at once, with a cache (DOC-3, DOC-9). Several threads may search at once.
    class FieldPostings
      include Base::ShortInspect

      # @param indexes [Hash{String=>FastInvertedIndex}] field → its inverted index; they must not change
      # @param cache [CachedPostings] the cache
      def initialize(indexes, cache = CachedPostings.new)
        @indexes = indexes
        @kept = cache
      end

      # @param indexes [Hash{String=>FastInvertedIndex}] indexes of the same state
      # @return [FieldPostings] the same postings, with their cache, over these indexes
      def over(indexes)
        same = dup
        same.instance_variable_set(:@indexes, indexes)
        same
      end
    end
  end
end
