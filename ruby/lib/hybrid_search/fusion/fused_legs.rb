# frozen_string_literal: true

module HybridSearch
  module Fusions
    # One leg of a fusion that compares the first hundred of both (FUS-3, FUS-4).
    class FusedLeg
      include Base::Value

      # @return [Float] what its shares are multiplied by
      attr_reader :weight
      # @return [Float] what its scores are counted from
      attr_reader :floor
      # @return [Float] what an excess is divided by: the mean excess, or the highest one
      attr_reader :unit
      # @return [Hash{String=>Float}] id → score, of its first hundred
      attr_reader :scores
      # @return [Hash{String=>Float}] id → excess by unit, of the same, the best first
      attr_reader :shares
      # @return [Float] the share of its first document, the highest; 0.0 where it has none
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

      # @return [Float] what it adds to its first document
      def first
        weight * first_share
      end

      # @param identifiers [Array<String>]
      # @return [Array<Float>] how near each document's share comes to that of the first; 0.0 where it has none (RET-10)
      def similarities(identifiers)
        identifiers.map { |identifier| shares.key?(identifier) ? shares.fetch(identifier) / first_share : 0.0 }
      end
    end

    # What each leg adds to a fusion of the first hundred of both (FUS-3, FUS-4), told so that each score can be made
    # again, and what follows behind them (FUS-5).
    class FusedLegs
      include Base::Value

      # The number of documents of each leg that are compared by their scores.
      DEPTH = 100
      # k of the reciprocal ranks of what follows.
      PLACES_BEFORE = 60

      # @return [String] "auto" or "min_max"
      attr_reader :method
      # @return [FusedLeg] the text leg
      attr_reader :text
      # @return [FusedLeg] the dense leg
      attr_reader :dense
      # @return [Float] what similarities are relative to: the score of a document that is first in both legs (auto), or
      #   1.0
      attr_reader :highest

      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [Hash{String=>Float}] id → score of all that are among the first hundred of no leg: -1 / r, r their
      #   reciprocal ranks (FUS-5)
      def self.behind(text, dense)
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
      # @return [Float] the last score among its first hundred; 0.0 where it is empty
      def self.last(leg)
        leg.empty? ? 0.0 : leg.first(DEPTH)[-1][1]
      end

      # @param ranking [Array<Array(String, Float)>] the documents of a leg, in ORD-1 order
      # @param weight [Float] what its shares are multiplied by
      # @param floor [Float] what its scores are counted from
      # @yieldparam excesses [Array<Float>]
      # @yieldreturn [Float] their divisor
      # @return [FusedLeg] what it adds
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

      # @return [Hash{String=>Float}] id → fused score of all that are among the first hundred of a leg
      def scores
        [text, dense].each_with_object({}) do |leg, fused|
          leg.shares.each do |identifier, share|
            fused[identifier] = fused.fetch(identifier, 0.0) + (leg.weight * share)
          end
        end
      end

      # The fused list: by these scores, then what is behind them (FUS-5).
      #
      # @param text [Array<Array(String, Float)>] the text leg, in ORD-1 order
      # @param dense [Array<Array(String, Float)>] the dense leg, in ORD-1 order
      # @return [Array<Array(String, Float)>]
      # @raise [InvalidInputError] a fused score is not finite
      def ranking(text, dense)
        ahead = Base::Ordering.rank_fused(scores)
        rest = Base::Ordering.rank(FusedLegs.behind(text, dense).to_a)
        # What is behind has a negative score.
        ahead.empty? || ahead[-1][1] >= 0.0 ? ahead + rest : Base::Ordering.rank_fused((ahead + rest).to_h)
      end

      # @param scores [Array<Float>] fused scores
      # @return [Array<Float>] the similarity that is shown for each (FUS-5)
      def similarities(scores)
        scores.map { |score| score.negative? ? 0.0 : score / highest }
      end
    end
  end
end
