# frozen_string_literal: true

module HybridSearch
  module Storing
    # Gives the documents in each state of a collection in PostgreSQL, and what finds them (PG-5): read whole, and asked
    # as those of a store in memory. The last state is kept. Several threads may ask at once.
    class PostgresDocuments
      include ShortInspect

      # @param bm25 [Bm25] the formula
      # @param _approximate [Boolean] whether the nearest may be taken from an index of approximate neighbours; here
      #   they never are
      def initialize(bm25, _approximate)
        @bm25 = bm25
        @states = {}
      end

      # @param tables [PostgresTables]
      # @return [DocumentIndex] the documents as the tables have them
      def state(tables)
        known = @states[tables.state]
        return known if known

        documents = tables.all_documents.flat_map { |rows| tables.stored(rows) }
        known = DocumentIndex.new(@bm25).changed([], documents)
        @states = { tables.state => known }
        known
      end
    end
  end
end
