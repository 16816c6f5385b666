# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The inverted index of one field of a stored collection, in one state of it: postings of the tokens that are asked
    # for are read (SQL-5, PG-5). The numbers of documents are its slots.
    class StoredInvertedIndex < FastInvertedIndex
      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param row [Stores::Tables::FieldRow] the field
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the state
      def initialize(bm25, row, tables)
        super(bm25, Stores::Documents::StoredDocument.keyword_field?(row.name))
        @field = row.field
        @documents = row.documents
        @tokens = row.tokens
        @slots = tables.numbers
        @living = LivingSlots.new(tables.numbers, tables.count)
        @lengths = lengths_of(tables)
        # Where there is no token there is nothing to score.
        average_length = [@tokens, 1].max.to_f / @documents
        @all_saturation_lengths = @lengths.map { |length| bm25.saturation_length(length, average_length) }
      end

      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the same state, in a transaction
      #   of the search
      # @return [StoredInvertedIndex] the same index, with what is kept, for one search
      def reading(tables)
        index = dup
        index.read_from(tables)
        index
      end

      protected

      def read_from(tables)
        @tables = tables
        @read = {}
      end

      private

      def lengths_of(tables)
        lengths = Array.new(tables.numbers, -1)
        tables.lengths(@field).each do |first, block|
          own = block.unpack("l<*")
          lengths[first, own.size] = own
        end
        lengths
      end

      def saturation_lengths(slots)
        slots.map { |slot| @all_saturation_lengths[slot] }
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
