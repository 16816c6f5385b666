# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents that contain a token, in a state that differs little from one whose scores are known (DOC-9, PG-5).
    #
    # Each change of a collection changes averages, and with them nearly every score, by very little. The scores of the
    # earlier state decide which documents may be among the best; exact scores are computed for these alone.
    class MovedPosting < Posting
      # @return [Float] the part of a score by which one of {#near_scores} may differ from it
      attr_reader :doubt

      # @param near [NearPosting] its slots and near scores
      # @param parts [Array<FieldPart>] the fields of the token in this state; at least one
      # @param documents [Integer] the number of documents in this state
      # @param all_slots [Integer] the number of slots of the store
      def initialize(near, parts, documents, all_slots)
        @near = near
        @parts = parts
        @idf = Stores::Snapshot::Bm25f.idf(documents, near.slots.size)
        low, high = near.factors(parts, @idf)
        @doubt = [1.0 - low, high - 1.0].max
        super(near.slots, nil, all_slots, near.lowest * (1.0 - @doubt), near.highest * (1.0 + @doubt))
      end

      # @return [Array<Float>] the scores of the earlier state, and those of documents that have changed since
      def near_scores
        @near.scores
      end

      # @param slot [Integer]
      # @return [Float] the score of a document, which need not contain the token; 0.0 if it does not
      def score_at(slot)
        total = FieldPart.total_at(@parts, slot)
        total ? score(total) : 0.0
      end

      private

      def score(total)
        @idf * (total / (total + Stores::Snapshot::Bm25f::K1)) # as `Bm25f.score` of one occurrence
      end

      def computed_scores
        FieldPart.totals(@parts)[1].map { |total| score(total) }
      end
    end
  end
end
