# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The contribution of one leg to a fusion that compares the first hundred documents of both (FUS-3, FUS-4).
    class FusedLeg
      include Base::Value

      # @return [Float] the factor of its shares
      attr_reader :weight
      # @return [Float] the score that counts as 0
      attr_reader :floor
      # @return [Float] the divisor of an excess over the floor: the mean excess, or the highest one
      attr_reader :unit
      # @return [Hash{String=>Float}] id → score, of its first hundred documents
      attr_reader :scores
      # @return [Hash{String=>Float}] id → excess divided by the unit, of the same documents, the best first
      attr_reader :shares
      # @return [Float] the share of its first document, the highest; 0.0 for an empty leg
      attr_reader :first_share

      def initialize(weight:, floor:, unit:, scores:, shares:)
        @weight = weight
        @floor = floor
        @unit = unit
        @scores = scores.dup.freeze
        @shares = shares.dup.freeze
        @first_share = shares.each_value.first || 0.0
        freeze
      end

      # @return [Float] the contribution to the first document
      def first
        weight * first_share
      end

      # @param identifier [String]
      # @return [Float] a document's share relative to that of the first document; 0.0 without a share (RET-10)
      def similarity(identifier)
        share = shares[identifier]
        share ? share / first_share : 0.0
      end
    end

    # The fusion of two legs by the scores of their first hundred documents (FUS-3, FUS-4, FUS-5), in parts from which
    # each score can be computed again.
    class FusedLegs
      include Base::Value

      # The number of documents of each leg whose scores are compared.
      DEPTH = 100
      # k of the reciprocal ranks of the remaining documents.
      PLACES_BEFORE = 60

      # @return [String] "auto" or "min_max"
      attr_reader :method
      # @return [FusedLeg] the text leg
      attr_reader :text
      # @return [FusedLeg] the dense leg
      attr_reader :dense
      # @return [Float] the score of similarity 1: that of a document that is first in both legs (auto), or 1.0
      attr_reader :highest

      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [Hash{String=>Float}] id → -1 / r for the remaining documents, r being the sum of their reciprocal ranks
      #   (FUS-5)
      def self.behind(text, dense)
        return {} if text.size <= DEPTH && dense.size <= DEPTH

        ahead = [text, dense].flat_map { |leg| leg.first(DEPTH).map(&:first) }.to_h { |identifier| [identifier, true] }
        ranks = {}
        [text, dense].each do |leg|
          leg.each_with_index do |(identifier, _), index|
            next if ahead.key?(identifier)

            ranks[identifier] = ranks.fetch(identifier, 0.0) + (1.0 / (PLACES_BEFORE + index + 1))
          end
        end
        ranks.transform_values { |rank| -1.0 / rank }
      end

      # @param leg [Array<Array(String, Float)>]
      # @return [Float] the last score among its first hundred documents; 0.0 for an empty leg
      def self.last(leg)
        leg.empty? ? 0.0 : leg.first(DEPTH)[-1][1]
      end

      # @param ranking [Array<Array(String, Float)>] the documents of a leg, in ORD-1 order
      # @param weight [Float] the factor of its shares
      # @param floor [Float] the score that counts as 0
      # @yieldparam excesses [Array<Float>]
      # @yieldreturn [Float] their divisor
      # @return [FusedLeg] its contribution
      def self.leg(ranking, weight, floor)
        ranked = ranking.first(DEPTH)
        excesses = ranked.map { |_, score| score - floor }
        unit = ranked.empty? ? 0.0 : yield(excesses)
        shares = ranked.each_with_index.to_h do |(identifier, _), index|
          [identifier, unit.positive? ? excesses[index] / unit : 1.0]
        end
        FusedLeg.new(weight:, floor:, unit:, scores: ranked.to_h, shares:)
      end

      def initialize(method:, text:, dense:, highest:)
        @method = method
        @text = text
        @dense = dense
        @highest = highest
        freeze
      end

      # @return [Hash{String=>Float}] id → fused score of all documents among the first hundred of a leg
      def scores
        [text, dense].each_with_object({}) do |leg, fused|
          leg.shares.each do |identifier, share|
            fused[identifier] = fused.fetch(identifier, 0.0) + (leg.weight * share)
          end
        end
      end

      # Return the fused list: documents by these scores, then the remaining ones (FUS-5).
      #
      # @param text [Array<Array(String, Float)>] the text leg, in ORD-1 order
      # @param dense [Array<Array(String, Float)>] the dense leg, in ORD-1 order
      # @return [Array<Array(String, Float)>]
      # @raise [InvalidInputError] a fused score is not finite
      def ranking(text, dense)
        ahead = Base::Ordering.rank_fused(scores)
        rest = Base::Ordering.rank(FusedLegs.behind(text, dense).to_a)
        # The remaining documents have negative scores.
        ahead.empty? || ahead[-1][1] >= 0.0 ? ahead + rest : Base::Ordering.rank_fused((ahead + rest).to_h)
      end

      # @param scores [Array<Float>] fused scores
      # @return [Array<Float>] the displayed similarity of each (FUS-5)
      def similarities(scores)
        scores.map { |score| score.negative? ? 0.0 : score / highest }
      end
    end
  end
end
