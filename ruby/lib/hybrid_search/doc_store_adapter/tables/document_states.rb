# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # Gives the documents in each state of a store's tables (SQL-5, PG-5): read whole, and asked as those of a store
      # in memory. The last state is kept. Several threads may ask at once.
      class DocumentStates
        include Base::ShortInspect

        # @param bm25 [Snapshot::Bm25] the formula
        # @param _option [Object] what a fast way is told beside; nothing here depends on it
        def initialize(bm25, _option)
          @bm25 = bm25
          @states = {}
        end

        # @param tables [Sqlite::SqliteTables, Postgres::PostgresTables]
        # @return [Snapshot::DocumentIndex] the documents as the tables have them
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
