# frozen_string_literal: true

require "set"

module HybridSearch
  module Search
    # The tokens of stored documents, by which near duplicates and similar hits are found (ARR-2, ARR-3).
    module ContentTokens
      # The maximum number of tokens of a content that are compared.
      MOST_TOKENS = 512
      # The number of tokens in a shingle.
      SHINGLE = 3

      # @param document [Hash{String=>Object}] a stored document
      # @return [Array<String>] the first tokens of its content, at most {MOST_TOKENS}
      def self.tokens(document)
        stored = document["content_ltks"]
        stored.is_a?(::String) ? Base::Characters.split_white(stored).first(MOST_TOKENS) : []
      end

      # @param document [Hash{String=>Object}] a stored document
      # @return [Set<String>] every {SHINGLE} consecutive tokens, joined by blanks; if there are fewer tokens, all of
      #   them as one shingle
      def self.shingles(document)
        words = tokens(document)
        return Set.new if words.empty?

        last = [0, words.size - SHINGLE].max
        Set.new((0..last).map { |first| words[first, SHINGLE].join(" ") })
      end

      # @param left [Set<String>]
      # @param right [Set<String>]
      # @return [Float] the number of common members divided by the number of all; 0.0 if there are none
      def self.jaccard(left, right)
        common = (left & right).size
        common.zero? ? 0.0 : common.to_f / (left.size + right.size - common)
      end
    end
  end
end
