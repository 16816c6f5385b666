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

      # So many of each leg are compared by their scores.
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

      # Legs by how far their scores stand out (FUS-3); a text leg that is not cut off counts from 0.
      #
      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [FusedLegs]
      def self.auto(text, dense)
        floor = text.size < DEPTH ? 0.0 : last(text)
        texts = leg(text, 0.4, floor) { |excesses| Base::Numeric.mean(excesses) }
        vectors = leg(dense, 0.6, last(dense)) { |excesses| Base::Numeric.mean(excesses) }
        new(method: "auto", text: texts, dense: vectors, highest: texts.first + vectors.first)
      end

      # Legs by their scores between the lowest and the highest (FUS-4).
      #
      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [FusedLegs]
      def self.min_max(text, dense)
        texts = leg(text, 0.5, last(text), &:max)
        new(method: "min_max", text: texts, dense: leg(dense, 0.5, last(dense), &:max), highest: 1.0)
      end

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

      def self.last(leg)
        leg.empty? ? 0.0 : leg.first(DEPTH)[-1][1]
      end
      private_class_method :last

      def self.leg(ranking, weight, floor)
        ranked = ranking.first(DEPTH)
        excesses = ranked.map { |_, score| score - floor }
        unit = ranked.empty? ? 0.0 : yield(excesses)
        shares = ranked.each_with_index.to_h do |(identifier, _), index|
          [identifier, unit.positive? ? excesses[index] / unit : 1.0]
        end
        FusedLeg.new(weight:, floor:, unit:, scores: ranked.to_h, shares:)
      end
      private_class_method :leg

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

      # @param scores [Array<Float>] fused scores
      # @return [Array<Float>] the similarity that is shown for each (FUS-5)
      def similarities(scores)
        scores.map { |score| score.negative? ? 0.0 : score / highest }
      end
    end
  end
end
