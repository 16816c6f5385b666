# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The inverted index of one field of a stored collection, in one state of it; only the postings of requested tokens
    # are read (SQL-5, PG-5). The numbers of documents are its slots.
    class StoredInvertedIndex < FastInvertedIndex
      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param row [Stores::Tables::FieldRow] the field
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the state
      # @param lengths [KeptLengths] the lengths that are cached in this state
      # @param counts [KeptCounts] the counts that are cached in this state
      # @param postings [CachedPostings] the postings that are cached in this state
      def initialize(bm25, row, tables, lengths, counts, postings)
        super(bm25, Stores::Documents::StoredDocument.keyword_field?(row.name))
        @field = row.field
        @documents = row.documents
        @tokens = row.tokens
        @slots = tables.numbers
        @filled = row.filled
        @kept_lengths = lengths
        @kept_counts = counts
        @postings = postings
        @name = row.name
        read_from(tables)
      end

      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the same state, in the
      #   transaction of the search
      # @return [StoredInvertedIndex] the same index, with its caches, for one search
      def reading(tables)
        index = dup
        index.read_from(tables)
        index
      end

      # @param tokens [Array<String>] a token, or several as a phrase
      # @param slop [Integer]
      # @return [Array(Array<Integer>, Array<Numeric>, Array<Integer>), nil] see {FastInvertedIndex#counts}
      def counts(tokens, slop)
        key = [@name, tokens, slop]
        known, counts = @kept_counts.find(key)
        return counts if known

        counts = super
        @kept_counts.keep(key, counts)
        counts
      end

      protected

      def read_from(tables)
        @tables = tables
        @read = {}
      end

      private

      def lengths_of(slots)
        @kept_lengths.of(@field, slots, @tables)
      end

      def filled
        @kept_lengths.filled(@field, @tables)
      end

      def holds?(token)
        !places(token).empty?
      end

      def frequency_counts
        @tables.frequencies(@field)
      end

      def places(token)
        @read[token] ||= @tables.places(@field, token).unpack("q<*")
      end
    end
  end
end
