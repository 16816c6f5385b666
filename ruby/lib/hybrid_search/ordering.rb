# frozen_string_literal: true

module HybridSearch
  # The total order of every ranked list (ORD-1 … ORD-3). UTF-8 bytes compare as code points do.
  module Ordering
    module_function

    # @param scored [Enumerable<Array(String, Float)>] pairs of (id, score); no NaN (NUM-4)
    # @return [Array<Array(String, Float)>] by score descending, then id ascending; -0.0 equals 0.0 (ORD-1)
    def rank(scored)
      pairs = scored.to_a
      rank_indexes(pairs.map(&:first), pairs.map(&:last)).map { |index| pairs[index] }
    end

    # @param scores [Hash{String=>Float}]
    # @return [Array<String>] the ids in the order of ORD-1
    def rank_ids(scores)
      rank(scores.to_a).map(&:first)
    end

    # @return [Array<Integer>] the positions of `identifiers` in the order of ORD-1
    def rank_indexes(identifiers, scores)
      (0...identifiers.size).sort do |left, right|
        order = compare(scores[left], identifiers[left], scores[right], identifiers[right])
        order.zero? ? left <=> right : order
      end
    end

    # @return [Integer] -1, 0 or 1: the order of ORD-1
    def compare(left_score, left_id, right_score, right_id)
      return -1 if left_score > right_score
      return 1 if left_score < right_score

      left_id <=> right_id
    end

    # The order of ORD-2: tier ascending, score and stage-1 score descending, id ascending.
    #
    # @param left [Array(Integer, Float, Float, String)] tier, score, stage-1 score, id
    # @param right [Array(Integer, Float, Float, String)]
    # @return [Integer] -1, 0 or 1
    def compare_tiered(left, right)
      return left[0] <=> right[0] if left[0] != right[0]
      return right[1] <=> left[1] if left[1] != right[1]
      return right[2] <=> left[2] if left[2] != right[2]

      left[3] <=> right[3]
    end
  end
end
