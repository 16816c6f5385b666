# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Which documents of a collection in PostgreSQL pass filters, as far as the server can tell (PG-2, PG-5).
    class PostgresMasks < KeptMasks
      private

      def made(filters, tables)
        mask = "\0".b * tables.numbers
        passing(filters, tables).each { |number| mask.setbyte(number, 1) }
        mask
      end

      # The numbers of the documents that pass.
      def passing(filters, tables)
        statement = Storing::PostgresFilters.new(filters, tables.connection.statements)
        unclear, clear = tables.connection.rows_of(statement.text, statement.values).partition(&:last)
        looked_at = unclear.empty? ? [] : accepted(filters, tables.documents(unclear.map(&:first)))
        clear.map(&:first) + looked_at
      rescue Storing::PostgresAttributes::UnholdableError
        tables.all_documents.flat_map { |rows| accepted(filters, rows) }
      end

      def accepted(filters, rows)
        passing = rows.select { |row| filters.accepts?(row.identifier, row.fields, row.vector_fields) }
        passing.map(&:number)
      end
    end
  end
end
