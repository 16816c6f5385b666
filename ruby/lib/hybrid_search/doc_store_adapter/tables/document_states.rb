# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # Returns the documents in each state of a store's tables, and caches the last state; it is thread-safe (SQL-5,
      # PG-5). Each state is read as a whole, and then searched like documents in memory.
      class DocumentStates
        include Base::ShortInspect

        # @param bm25 [Snapshot::Bm25] the formula
        # @param _option [Object] an option of the fast form, which this class ignores
        def initialize(bm25, _option)
          @bm25 = bm25
          @states = {}
        end

        # @param tables [Sqlite::SqliteTables, Postgres::PostgresTables]
        # @return [Snapshot::DocumentIndex] the documents in the current state of the tables
        def state(tables)
          known = @states[tables.state]
          return known if known

          known = Snapshot::DocumentIndex.new(@bm25).changed([], tables.all_stored)
          @states = { tables.state => known }
          known
        end
      end
    end
  end
end
