# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The text leg of a bag of tokens, whose documents are summed when they are needed (DOC-9).
    class Bm25fLeg
      include Base::ShortInspect

      # @return [Integer] the maximum number of documents
      attr_reader :limit

      # @param matched [Array<Array(Float, Posting)>] the count of each token, and its posting
      # @param limit [Integer] the maximum number of documents
      # @param sums [BestSums] finds the best sums
      # @param allowed [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      def initialize(matched, limit, sums, allowed)
        @matched = matched
        @limit = limit
        @sums = sums
        @allowed = allowed
      end

      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents with a score, among them the
      #   best `limit` with all ties of the last
      def best
        return [[], []] if @matched.empty? || @limit.zero?

        slots, scores = @sums.best(@matched, @limit, @allowed)
        return [slots, scores] if scores.all?(&:positive?)

        scored = slots.zip(scores).select { |_, score| score.positive? }
        [scored.map(&:first), scored.map(&:last)]
      end

      # @return [Array(Array<Integer>, Array<Float>, Float), nil] the slots of all documents with a score, numbers near
      #   these scores, and the part of a score by which one of them may differ from it; nil if {#best} is as fast
      def near
        @matched.empty? || @limit.zero? ? nil : @sums.near(@matched, @allowed)
      end

      # @param slot [Integer]
      # @return [Float] the score of a document; 0.0 if it is not among those with a score
      def score_at(slot)
        @allowed.nil? || @allowed.getbyte(slot) == 1 ? @sums.exact_sum(@matched, slot) : 0.0
      end
    end
  end
end
