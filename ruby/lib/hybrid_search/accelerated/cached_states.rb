# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # What questions have made of one state of the tables of a database, for those that follow.
    class CachedState
      include Base::ShortInspect

      # @return [Object] which one it is
      attr_reader :state
      # @return [CachedMasks]
      attr_reader :masks
      # @return [Hash{Integer=>String}] numbers of documents → ids, as far as they were asked for
      attr_reader :identifiers
      # @return [Hash{String=>Integer}] ids → numbers, of documents that searches have found
      attr_reader :numbers
      # @return [Hash{Array(Integer, String)=>Stores::Tables::FieldRow, nil}] the fields by kind and name, as far as
      #   they were asked for; nil for those that no document has ever had
      attr_reader :rows
      # @return [Hash{String=>StoredInvertedIndex}]
      attr_reader :text_indexes
      # @return [BestFields]
      attr_reader :best_fields
      # @return [Bm25fPostings]
      attr_reader :bm25f

      def initialize(state, masks)
        @state = state
        @masks = masks
        @identifiers = {}
        @numbers = {}
        @rows = {}
        @text_indexes = {}
        @best_fields = BestFields.new(@text_indexes)
        @bm25f = Bm25fPostings.new(@text_indexes)
      end
    end

    # Gives the documents in each state of the tables of a database (SQL-5, PG-5), fast: only what a question needs is
    # read.
    #
    # Postings of the last state are kept as far as a store in memory keeps them. Several threads may ask at once.
    # Subclasses have `fresh(state)`, what is kept of a state of which nothing was asked yet, and `index(tables, kept)`,
    # the documents of one state for one search.
    #
    # @abstract
    class CachedStates
      include Base::ShortInspect

      def initialize
        @kept = nil
      end

      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables]
      # @return [TableIndex] the documents as the tables have them
      def state(tables)
        kept = @kept
        @kept = kept = fresh(tables.state) if kept.nil? || kept.state != tables.state
        index(tables, kept)
      end
    end
  end
end
