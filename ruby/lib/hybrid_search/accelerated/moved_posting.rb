# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents that contain a token, in a state that differs little from one whose scores are known (DOC-9, PG-5).
    #
    # Each change of a collection changes averages, and with them nearly every score, by very little. The scores of the
    # earlier state decide which documents may be among the best; exact scores are computed for these alone.
    class MovedPosting < Posting
      # The part of a score that may be lost by rounding, much more than ever is.
      ROUNDING = 1e-9
      # The bytes of a slot, a score and a step.
      BYTES_PER_SLOT = 24
      private_constant :ROUNDING, :BYTES_PER_SLOT

      # A posting with exact scores, and what these depend on: the fields of the token, and its weight.
      KnownPosting = Struct.new(:posting, :parts, :idf) do
        # @return [Integer] the number of bytes when everything has been computed that searches need
        def most_bytes
          (BYTES_PER_SLOT * posting.slots.size) + posting.all_slots + parts.sum(&:size) # whole numbers
        end
      end

      # @return [Array<Float>] the scores of the earlier state, and those of documents that have changed
      attr_reader :near_scores
      # @return [Float] the part of a score by which one of {#near_scores} may differ from it
      attr_reader :doubt

      # @param known [KnownPosting] the posting of the earlier state
      # @param parts [Array<FieldPart>] the fields of the token in this state; at least one
      # @param documents [Integer] the number of documents in this state
      # @param touched [Array<Integer>] the slots of the documents that have changed since, ascending
      # @param all_slots [Integer] the number of slots of the store
      def initialize(known, parts, documents, touched, all_slots)
        @parts = parts
        before = known.posting
        slots = before.slots
        @near_scores = before.scores
        own = same?(known.parts) ? {} : touched.to_h { |slot| [slot, FieldPart.total_at(parts, slot)] }
        slots, @near_scores = patched(slots, @near_scores, own) unless own.empty?
        @idf = Stores::Snapshot::Bm25f.idf(documents, slots.size)
        own = own.compact.transform_values { |total| score(total) }
        own.each { |slot, score| @near_scores[Posting.place_in(slots, slot)] = score }
        low, high = factors(known)
        @doubt = [1.0 - low, high - 1.0].max
        lowest = [before.lowest, *own.values].min
        highest = [before.highest, *own.values].max
        super(slots, nil, all_slots, lowest * (1.0 - @doubt), highest * (1.0 + @doubt))
      end

      # @param slot [Integer]
      # @return [Float] the score of a document, which need not contain the token; 0.0 if it does not
      def score_at(slot)
        total = FieldPart.total_at(@parts, slot)
        total ? score(total) : 0.0
      end

      private

      # Return whether no document that has changed contains the token, or has contained it.
      def same?(parts)
        @parts.size == parts.size && @parts.zip(parts).all? { |one, other| one.counts.equal?(other.counts) }
      end

      # Return slots and scores without the documents that have changed, and with room for those of them that contain
      # the token, whose totals are not nil.
      def patched(slots, scores, totals)
        slots = slots.dup
        scores = scores.dup
        totals.each do |slot, total|
          place = slots.bsearch_index { |other| other >= slot } || slots.size
          if slots[place] == slot
            [slots, scores].each { |column| column.delete_at(place) } unless total
          elsif total
            slots.insert(place, slot)
            scores.insert(place, 0.0)
          end
        end
        [slots, scores]
      end

      # Return a lower and an upper bound of the factor by which the score of an unchanged document has changed.
      #
      # Its share in each field changes at most by the factor of the field's average, and its score at most by that of
      # its shares, times that of the weight of the token.
      def factors(known)
        before = known.parts.to_h { |part| [part.field, part.average] }
        averages = @parts.map { |part| part.average / before.fetch(part.field, part.average) }
        weight = @idf / known.idf
        [weight * [1.0, *averages].min * (1.0 - ROUNDING), weight * [1.0, *averages].max * (1.0 + ROUNDING)]
      end

      def score(total)
        @idf * (total / (total + Stores::Snapshot::Bm25f::K1)) # as `Bm25f.score` of one occurrence
      end

      def computed_scores
        FieldPart.totals(@parts)[1].map { |total| score(total) }
      end
    end
  end
end
