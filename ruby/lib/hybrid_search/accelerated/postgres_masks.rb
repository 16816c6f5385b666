# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the documents of a collection in PostgreSQL that pass filters, on the server if it can decide (PG-2, PG-5).
    class PostgresMasks < CachedMasks
      # The maximum number of passing documents that are listed for the server, which then finds each; otherwise it
      # reads all.
      MOST_LISTED = 1000
      private_constant :MOST_LISTED

      # @param mask [String, nil] for each number a byte, 1 if its document passes; nil if all do
      # @param tables [Stores::Postgres::PostgresTables]
      # @return [Array(String, Array)] the statement that excludes documents that do not pass, nil if all do, and its
      #   parameters
      def self.among(mask, tables)
        passing = mask ? mask.count("\1") : tables.count
        return [nil, []] if passing == tables.count
        return ["among_marked", [[mask.tr("\0\1", "01")].pack("b*")]] if passing > MOST_LISTED

        ["among_numbers", [(0...mask.bytesize).select { |number| mask.getbyte(number) == 1 }]]
      end

      private

      def made(filters, tables)
        passing = passing(filters, tables)
        return if passing.size == tables.count

        mask = "\0".b * tables.numbers
        passing.each { |number| mask.setbyte(number, 1) }
        mask
      end

      # Return the numbers of the documents that pass.
      def passing(filters, tables)
        statement = Stores::Postgres::PostgresFilters.new(filters, tables.connection.statements)
        unclear, clear = tables.connection.rows_of(statement.text, statement.values).partition(&:last)
        looked_at = unclear.empty? ? [] : accepted(filters, tables.documents(unclear.map(&:first)))
        clear.map(&:first) + looked_at
      rescue Stores::Postgres::PostgresAttributes::UnholdableError
        tables.all_documents.flat_map { |rows| accepted(filters, rows) }
      end
    end
  end
end
