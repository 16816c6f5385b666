# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The first hundred documents of a text leg, and the facts about the later ones (FUS-5).
      class LegHead
        include Base::ShortInspect

        # @return [Array<Array(String, Float)>] the first documents, in the order of ORD-1
        attr_reader :ranking
        # @return [Integer] the number of all documents of the leg
        attr_reader :total

        # @param ranking [Array<Array(String, Float)>] a leg that is ranked as a whole
        # @return [LegHead] its head
        def self.of(ranking)
          found = ranking.to_h
          new(ranking.first(Fusions::FusedLegs::DEPTH), ranking.size) { |identifiers| found.slice(*identifiers) }
        end

        # Take a block that returns id → score, for those of the given documents that are in the leg.
        def initialize(ranking, total, &scores)
          @ranking = ranking
          @total = total
          @scores = scores
          freeze
        end

        # @param identifiers [Array<String>]
        # @return [Hash{String=>Float}] id → score of those of these documents that are in the leg
        def scores(identifiers)
          @scores.call(identifiers)
        end
      end
    end
  end
end
