# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The slots that contain a document in one published state of a store (DOC-1). Immutable.
    #
    # Documents are numbered by slots. Each slot is assigned once, in ascending order. The data at a slot never change.
    # A reader therefore needs only this object to know which documents exist: slots from {#limit} on belong to later
    # changes, or to changes that were interrupted. A removed document keeps its slot.
    class LivingSlots
      include Base::ShortInspect

      # @return [Integer] a number above all slots
      attr_reader :limit
      # @return [Integer] the number of documents
      attr_reader :count
      # @return [String, nil] for each slot a byte, 1 if it contains a document; nil if all do
      attr_reader :mask

      def initialize(limit = 0, count = 0, mask = nil)
        @limit = limit
        @count = count
        @mask = mask.freeze
        freeze
      end

      # @param slot [Integer]
      # @return [Boolean] whether it contains a document
      def holds?(slot)
        slot < @limit && (@mask.nil? || @mask.getbyte(slot) == 1)
      end

      # @return [Integer] the number of slots without a document
      def dead
        @limit - @count
      end

      # Return the slots after a change.
      #
      # @param removed [Array<Integer>] the slots of removed documents
      # @param first [Integer] the first slot of the new documents; slots from {#limit} up to it are empty
      # @param added [Integer] the number of new documents
      # @return [LivingSlots]
      def changed(removed, first, added)
        count = @count + added - removed.size
        return LivingSlots.new(first + added, count) if @mask.nil? && removed.empty? && first == @limit

        mask = @mask.dup || ("\1".b * @limit)
        mask << ("\0".b * (first - @limit)) << ("\1".b * added)
        removed.each { |slot| mask.setbyte(slot, 0) }
        LivingSlots.new(first + added, count, mask)
      end
    end
  end
end
