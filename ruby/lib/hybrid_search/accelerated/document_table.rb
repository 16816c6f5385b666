# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents of one state of a store, by slot and by id (DOC-1): a view of tables that only grow.
    #
    # All views of a table share its entries. A change appends to them, and its slots are assigned at once. Readers
    # cannot see them before the view that {#changed} returns. Only one change at a time may be made, each from the view
    # of the last change that was not abandoned.
    class DocumentTable
      include Base::ShortInspect

      FEWEST_RELEASED = 1024
      DOCUMENTS_PER_RELEASED = 8

      # A document in its slot; immutable.
      class TableEntry
        include Base::ShortInspect

        # @return [String] its id
        attr_reader :identifier
        # @return [Hash{String=>Object}] its fields except the vectors
        attr_reader :fields
        # @return [Array<String>] the names of its vector fields
        attr_reader :vector_fields
        # @return [PreparedDocument, nil] the form that the hybrid rerank needs
        attr_reader :prepared

        def initialize(identifier, fields, vector_fields, prepared)
          @identifier = identifier
          @fields = fields
          @vector_fields = vector_fields
          @prepared = prepared
          freeze
        end
      end

      # @return [LivingSlots] the slots that belong to the view
      attr_reader :living

      def initialize
        @living = LivingSlots.new
        @entries = []
        # A table: id => the last slot that was written for it, and the previous one.
        @slot_of = {}
        @earlier = {}
        @released = 0
      end

      # @param identifier [String]
      # @return [Integer, nil] the slot of a document
      def slot(identifier)
        slot = @slot_of[identifier]
        slot = @earlier[slot] until slot.nil? || @living.holds?(slot)
        slot
      end

      # @return [Array<Integer>] the slots of all documents, ascending
      def slots
        (0...@living.limit).select { |slot| @living.holds?(slot) }
      end

      # @param slot [Integer] a slot that contains a document
      # @return [TableEntry]
      def entry(slot)
        @entries.fetch(slot)
      end

      # @param slot [Integer]
      # @return [TableEntry, nil] the content of the slot, which may be a removed document
      def entry_if_any(slot)
        @entries[slot]
      end

      # @param slots [Array<Integer>]
      # @return [Array<String>] the ids of the documents in these slots
      def identifiers(slots)
        slots.map { |slot| entry(slot).identifier }
      end

      # @param removed [Array<Integer>] the slots of removed documents
      # @param added [Array<TableEntry>] the new documents
      # @return [Array(DocumentTable, Integer)] the view after a change, and the first slot of the new documents
      def changed(removed, added)
        first = @entries.size
        @entries.concat(added)
        added.each_with_index do |entry, index|
          earlier = @slot_of[entry.identifier]
          @earlier[first + index] = earlier if earlier
          @slot_of[entry.identifier] = first + index
        end
        table = dup
        table.show(@living.changed(removed, first, added.size))
        [table, first]
      end

      protected

      # Become the view of these slots.
      #
      # Removed documents are released if they are many; readers of an older view keep its list.
      def show(living)
        @living = living
        return unless living.dead - @released > [FEWEST_RELEASED, living.count / DOCUMENTS_PER_RELEASED].max

        @entries = @entries.map.with_index { |entry, slot| entry if living.holds?(slot) }
        @released = living.dead
      end
    end
  end
end
