# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Which documents count in one state of a store: slots as they were when it was published (DOC-1). Never changed.
    #
    # Documents are numbered by slots, which are given once and only grow. What is written at a slot stays there. So one
    # who reads needs only this to tell what is there: slots from {#limit} on are of later changes, or of changes that
    # were interrupted, and a document that was removed keeps its slot.
    class LivingSlots
      include Base::ShortInspect

      # @return [Integer] all slots are below
      attr_reader :limit
      # @return [Integer] how many documents there are
      attr_reader :count
      # @return [String, nil] for each slot a byte, 1 when it holds a document; nil when all do
      attr_reader :mask

      def initialize(limit = 0, count = 0, mask = nil)
        @limit = limit
        @count = count
        @mask = mask.freeze
        freeze
      end

      # @param slot [Integer]
      # @return [Boolean] whether it holds a document
      def holds?(slot)
        slot < @limit && (@mask.nil? || @mask.getbyte(slot) == 1)
      end

      # @return [Integer] how many slots hold nothing that counts
      def dead
        @limit - @count
      end

      # The slots after a change.
      #
      # @param removed [Array<Integer>] slots of documents that are gone
      # @param first [Integer] the first slot of the new documents; those from {#limit} up to it hold nothing
      # @param added [Integer] how many new documents there are
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
