# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents that contain a token in one of several fields, for sums over these fields (DOC-9).
    class FieldPart
      include Base::ShortInspect

      B = Stores::Snapshot::Bm25f::B
      # The divisor of a share in an empty field.
      SHORTEST = 1.0 - B
      # The bytes of a slot, a frequency and a length.
      BYTES_PER_DOCUMENT = 24
      private_constant :B, :SHORTEST, :BYTES_PER_DOCUMENT

      # @return [String] the name of the field
      attr_reader :field
      # @return [Array(Array<Integer>, Array<Numeric>, Array<Integer>)] the slots of the documents, ascending; the
      #   frequency of the token in each; and the number of tokens of the field of each
      attr_reader :counts
      # @return [Float] the mean length of the field
      attr_reader :average

      # @param parts [Array<FieldPart>] at least one
      # @return [Array(Array<Integer>, Array<Float>)] the slots in any of the fields, ascending, and their frequencies,
      #   added up in the order of the fields
      def self.totals(parts)
        parts.map { |part| [part.counts[0], part.frequencies] }.inject { |one, other| merged(*one, *other) }
      end

      # @param parts [Array<FieldPart>]
      # @param slot [Integer]
      # @return [Float, nil] the frequency in a document; nil if it does not contain the token
      def self.total_at(parts, slot)
        total = nil
        parts.each do |part|
          share = part.share_at(slot)
          total = total ? total + share : share if share
        end
        total
      end

      # Return the documents of both, ascending, and the sums of their shares.
      def self.merged(slots, shares, other_slots, other_shares)
        return [slots, shares.zip(other_shares).map { |one, other| one + other }] if slots == other_slots

        place = other = 0
        found = []
        sums = []
        while place < slots.size || other < other_slots.size
          slot = slots[place]
          other_slot = other_slots[other]
          if other_slot.nil? || (slot && slot < other_slot)
            found << slot
            sums << shares[place]
            place += 1
          else
            is_both = slot == other_slot
            found << other_slot
            sums << (is_both ? shares[place] + other_shares[other] : other_shares[other])
            place += 1 if is_both
            other += 1
          end
        end
        [found, sums]
      end
      private_class_method :merged

      # @param field [String] the name of the field
      # @param weight [Float] the weight of the field
      # @param counts [Array(Array<Integer>, Array<Numeric>, Array<Integer>)] see {#counts}
      # @param average [Float] the mean length of the field
      def initialize(field, weight, counts, average)
        @field = field
        @weight = weight
        @counts = counts
        @average = average
      end

      # Return what `Bm25f.frequency` returns for each document; a call for each would take twice as long.
      #
      # @return [Array<Float>]
      def frequencies
        _, counts, lengths = @counts
        shares = []
        place = 0
        size = counts.size
        while place < size
          shares << (@weight * counts[place] / (SHORTEST + (B * lengths[place] / @average)))
          place += 1
        end
        shares
      end

      # @param slot [Integer]
      # @return [Float, nil] the field's share in the frequency in a document; nil if it does not contain the token
      def share_at(slot)
        slots, counts, lengths = @counts
        place = Posting.place_in(slots, slot)
        place && (@weight * counts[place] / (SHORTEST + (B * lengths[place] / @average)))
      end

      # @return [Integer] the approximate number of bytes of the counts
      def size
        BYTES_PER_DOCUMENT * @counts[0].size
      end
    end
  end
end
