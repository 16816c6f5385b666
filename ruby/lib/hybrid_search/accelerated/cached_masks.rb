# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the documents in the tables of a database that pass filters, and caches the result (DOC-2, SQL-5, PG-5): a
    # mask over the numbers of documents for each object of filters, in one state. Safe to use from several threads.
    # Subclasses have `made(filters, tables)`, the mask of filters that are not empty; it may be nil if all documents
    # pass.
    #
    # @abstract
    class CachedMasks
      include Base::ShortInspect

      def initialize
        @masks = {}
      end

      # @param filters [AdapterKit::Filters]
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables]
      # @return [String, nil] for each number a byte, 1 if its document passes; nil if all do
      def mask(filters, tables)
        return nil if filters.empty?

        _, mask = @masks.delete(filters.key) { [filters, made(filters, tables)] }
        @masks[filters.key] = [filters, mask]
        @masks.shift if @masks.size > FilterMasks::MOST_FILTER_MASKS
        mask
      end

      # @return [Boolean] whether no masks are cached
      def empty?
        @masks.empty?
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @param rows [Array<Stores::Tables::DocumentRow>] those among them that are stored; not needed without masks
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] a later state
      # @return [CachedMasks] the masks in that state
      def after(touched, rows, tables)
        later = @masks.to_a.filter_map do |key, (filters, before)|
          passing = accepted(filters, rows)
          next (passing.size == rows.size ? [key, [filters, nil]] : nil) if before.nil?

          mask = before.ljust(tables.numbers, "\0".b)
          touched.each { |number| mask.setbyte(number, 0) }
          passing.each { |number| mask.setbyte(number, 1) }
          [key, [filters, mask]]
        end
        self.class.new.tap { |masks| masks.replace(later.to_h) }
      end

      protected

      def replace(masks)
        @masks = masks
      end

      private

      # Return the numbers of those documents that pass.
      def accepted(filters, rows)
        passing = rows.select { |row| filters.accepts?(row.identifier, row.fields, row.vector_fields) }
        passing.map(&:number)
      end
    end
  end
end
