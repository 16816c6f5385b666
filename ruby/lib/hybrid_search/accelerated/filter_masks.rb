# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Masks of filters over the slots of all views of one table, cached (DOC-2).
    #
    # The content of a slot never changes. The mask of older slots therefore remains valid when others are added. A mask
    # does not show which documents were removed. Several threads may search at once.
    class FilterMasks
      include Base::ShortInspect

      MOST_FILTER_MASKS = 16

      def initialize
        @masks = {}
      end

      # @param filters [AdapterKit::Filters]
      # @param table [DocumentTable]
      # @return [String, nil] for each slot a byte, 1 if its document passes, and perhaps more bytes; nil if all pass
      def mask(filters, table)
        return nil if filters.empty?
        return mask_of_identifiers(filters, table) if filters.identifiers

        limit = table.living.limit
        mask = @masks[filters.key] || ""
        if mask.bytesize < limit
          mask = mask.b
          mask << (passes?(mask.bytesize, filters, table) ? 1 : 0) while mask.bytesize < limit
        end
        @masks.delete(filters.key)
        @masks[filters.key] = mask
        @masks.shift if @masks.size > MOST_FILTER_MASKS
        mask
      end

      private

      def mask_of_identifiers(filters, table)
        mask = "\0".b * table.living.limit
        filters.identifiers.each do |identifier|
          slot = table.slot(identifier)
          mask.setbyte(slot, 1) if slot && passes?(slot, filters, table)
        end
        mask
      end

      def passes?(slot, filters, table)
        entry = table.entry_if_any(slot)
        !entry.nil? && filters.accepts?(entry.identifier, entry.fields, entry.vector_fields)
      end
    end
  end
end
