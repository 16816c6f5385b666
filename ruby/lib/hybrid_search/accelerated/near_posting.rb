# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # What the scores of a token depend on in a state, besides the documents that contain it: the mean length of each of
    # its fields, and its weight.
    class Basis
      include Base::ShortInspect

      # The part of a score that may be lost by rounding, much more than ever is.
      ROUNDING = 1e-9
      private_constant :ROUNDING

      # @param parts [Array<FieldPart>] the fields of the token in the state
      # @param idf [Float] the weight of the token
      def initialize(parts, idf)
        @averages = parts.to_h { |part| [part.field, part.average] }
        @idf = idf
      end

      # Return a lower and an upper bound of the factor by which a score has changed in another state, or 1.
      #
      # The share of an unchanged document in each field changes at most by the factor of the field's average, and its
      # score at most by that of its shares, times that of the weight of the token.
      #
      # @param parts [Array<FieldPart>] the fields of the token in the other state
      # @param idf [Float] the weight of the token in the other state
      # @return [Array(Float, Float)]
      def factors(parts, idf)
        weight = idf / @idf
        factors = parts.map { |part| weight * (part.average / @averages.fetch(part.field, part.average)) }
        [[1.0, weight, *factors].min * (1.0 - ROUNDING), [1.0, weight, *factors].max * (1.0 + ROUNDING)]
      end
    end

    # The slots of a token, with scores that differ little from those of the current state; immutable (DOC-9, PG-5).
    class NearPosting
      include Base::ShortInspect

      # The bytes of a slot and a score.
      BYTES_PER_SLOT = 16
      private_constant :BYTES_PER_SLOT

      # @return [Array<Integer>] the slots of the documents that contain the token, ascending
      attr_reader :slots
      # @return [Array<Float>] the scores
      attr_reader :scores
      # @return [Float] the lowest of the scores
      attr_reader :lowest
      # @return [Float] the highest of them
      attr_reader :highest

      # @param posting [Posting] with exact scores
      # @param parts [Array<FieldPart>] the fields of the token
      # @param idf [Float] the weight of the token
      # @return [NearPosting] the posting of a state
      def self.of(posting, parts, idf)
        new(posting.slots, posting.scores, [posting.lowest, posting.highest], [1.0, 1.0], parts, idf)
      end

      # @param slots [Array<Integer>] ascending
      # @param scores [Array<Float>]
      # @param bounds [Array(Float, Float)] the lowest and the highest score
      # @param moved [Array(Float, Float)] bounds of the factor by which scores have changed until now
      # @param parts [Array<FieldPart>] the fields of the token
      # @param idf [Float] the weight of the token
      def initialize(slots, scores, bounds, moved, parts, idf)
        @slots = slots
        @scores = scores
        @lowest, @highest = bounds
        @low, @high = moved
        @basis = Basis.new(parts, idf)
        @marks = marks_of(parts)
      end

      # @return [Integer] the number of bytes of slots and scores
      def size
        BYTES_PER_SLOT * @slots.size
      end

      # @param parts [Array<FieldPart>] the fields of the token in another state
      # @param idf [Float] the weight of the token in that state
      # @return [Array(Float, Float)] a lower and an upper bound of the factor by which scores have changed, or 1
      def factors(parts, idf)
        low, high = @basis.factors(parts, idf)
        [@low * low, @high * high]
      end

      # @param parts [Array<FieldPart>] the fields of a token
      # @return [Boolean] whether the documents that contain the token are those of this posting, unchanged
      def of?(parts)
        @marks == marks_of(parts)
      end

      # Return the posting after a change.
      #
      # @param touched [Array<Integer>] the slots of the documents that have changed, ascending
      # @param parts [Array<FieldPart>] the fields of the token in the later state; at least one
      # @param documents [Integer] the number of documents
      # @return [NearPosting]
      def after(touched, parts, documents)
        totals = touched.to_h { |slot| [slot, FieldPart.total_at(parts, slot)] }
        slots, scores = patched(totals)
        idf = Stores::Snapshot::Bm25f.idf(documents, slots.size)
        low, high = factors(parts, idf)
        own = totals.compact.transform_values { |total| Stores::Snapshot::Bm25f.score(1, idf, total) }
        own.each { |slot, score| scores[Posting.place_in(slots, slot)] = score }
        bounds = [@lowest, @highest, *own.values].minmax
        NearPosting.new(slots, scores, bounds, [low, high], parts, idf)
      end

      private

      # Return a number for each field that no other counts have had or will have, unlike an address.
      def marks_of(parts)
        parts.map { |part| part.counts.object_id }
      end

      # Return slots and scores without the documents that have changed, and with room for those of them that contain
      # the token, whose totals are not nil.
      def patched(totals)
        slots = @slots.dup
        scores = @scores.dup
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
    end
  end
end
