# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Which documents in the tables of a database pass filters, remembered (DOC-2, SQL-5, PG-5): for filters a mask over
    # the numbers of documents, in one state. Several threads may ask at once. Subclasses have `made(filters, tables)`,
    # the mask of filters of which there are some; it may be nil when all documents pass.
    #
    # @abstract
    class CachedMasks
      include Base::ShortInspect

      def initialize
        @masks = {}
      end

      # @param filters [AdapterKit::Filters]
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables]
      # @return [String, nil] for each number a byte, 1 when its document passes; nil when all do
      def mask(filters, tables)
        return nil if filters.empty?

        _, mask = @masks.delete(filters.key) { [filters, made(filters, tables)] }
        @masks[filters.key] = [filters, mask]
        @masks.shift if @masks.size > FilterMasks::MOST_FILTER_MASKS
        mask
      end
    end
  end
end
