# frozen_string_literal: true

module HybridSearch
  module Base
    # The total order of every ranked list (ORD-1 … ORD-3). UTF-8 bytes compare as code points do.
    module Ordering
      module_function

      # @param scored [Enumerable<Array(String, Float)>] pairs of (id, score); no NaN (NUM-4)
      # @return [Array<Array(String, Float)>] by score descending, then id ascending; -0.0 equals 0.0 (ORD-1)
      def rank(scored)
        sorted = scored.to_a.sort_by { |_, score| -score }
        first = 0
        while first < sorted.size
          score = sorted[first][1]
          last = first + 1
          last += 1 while last < sorted.size && sorted[last][1] == score
          sorted[first...last] = sorted[first...last].sort_by(&:first) if last - first > 1
          first = last
        end
        sorted
      end

      # @param fused [Hash{String=>Float}] id → score
      # @return [Array<Array(String, Float)>] the fused scores in the order of ORD-1
      # @raise [InvalidInputError] a score is not finite
      def rank_fused(fused)
        fused.each do |identifier, score|
          next if score.finite?

          raise InvalidInputError, "the fused score of #{Validation.describe(identifier)} is not finite"
        end
        rank(fused.to_a)
      end

      # @return [Array<Integer>] the positions of `identifiers` in the order of ORD-1
      def rank_indexes(identifiers, scores)
        (0...identifiers.size).sort do |left, right|
          order = compare(scores[left], identifiers[left], scores[right], identifiers[right])
          order.zero? ? left <=> right : order
        end
      end

      # @return [Integer] -1, 0 or 1, by the order of ORD-1
      def compare(left_score, left_id, right_score, right_id)
        return -1 if left_score > right_score
        return 1 if left_score < right_score

        left_id <=> right_id
      end

      # @param keys [Array<#tier, #score, #stage1_score, #id>]
      # @return [Array<Object>] the keys in the order of ORD-2
      def rank_tiered(keys)
        sorted_by(keys, [:tier.to_proc, ->(key) { -key.score }, ->(key) { -key.stage1_score }, :id.to_proc])
      end

      # Sort by the first criterion, and equal items by the next ones. Numbers and texts are compared without calling a
      # block for each pair.
      #
      # @param items [Array<Object>]
      # @param criteria [Array<Proc>] item → a number or a text
      # @return [Array<Object>]
      def sorted_by(items, criteria)
        criterion, *further = criteria
        sorted = items.sort_by(&criterion)
        return sorted if further.empty?

        first = 0
        while first < sorted.size
          last = first + 1
          key = criterion.call(sorted[first])
          last += 1 while last < sorted.size && criterion.call(sorted[last]) == key
          sorted[first...last] = sorted_by(sorted[first...last], further) if last - first > 1
          first = last
        end
        sorted
      end

      # Compare two keys by the order of ORD-2: tier ascending, score and stage-1 score descending, id ascending.
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
end
