# frozen_string_literal: true

module HybridSearch
  module Storing
    # Gives the documents in each state of an index file, and what finds them (SQL-5): read whole, and asked as those of
    # a store in memory. The last state is kept. Several threads may ask at once.
    class SqliteDocuments
      include ShortInspect

      # @param bm25 [Bm25] the formula
      # @param _memory [Integer] how many bytes of vectors may be kept; all are kept here
      def initialize(bm25, _memory)
        @bm25 = bm25
        @states = {}
      end

      # @param tables [SqliteTables]
      # @return [DocumentIndex] the documents as the tables have them
      def state(tables)
        known = @states[tables.generation]
        return known if known

        known = DocumentIndex.new(@bm25).changed([], tables.documents)
        @states = { tables.generation => known }
        known
      end
    end
  end
end
