# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The cached data of one state of the tables of a database, which later questions reuse.
    class CachedState
      include Base::ShortInspect

      # @return [Object] a value that identifies the state
      attr_reader :state
      # @return [Integer] the generation of the state
      attr_reader :generation
      # @return [CachedMasks]
      attr_reader :masks
      # @return [Integer] the maximum number of bytes for lengths, ids, counts and postings
      attr_reader :memory
      # @return [KeptLengths] the lengths of documents
      attr_reader :lengths
      # @return [TouchedDocuments] the documents that the last changes have touched
      attr_reader :touched
      # @return [KeptCounts] the counts of tokens and phrases in all fields
      attr_reader :counts
      # @return [CachedPostings] the postings of all fields
      attr_reader :postings
      # @return [KeptIdentifiers] the ids of documents that searches have found
      attr_reader :identifiers
      # @return [Hash{Array(Integer, String)=>Stores::Tables::FieldRow, nil}] the requested fields by kind and name; nil
      #   for those that no document has ever had
      attr_reader :rows
      # @return [Hash{String=>StoredInvertedIndex}]
      attr_reader :text_indexes
      # @return [BestFields]
      attr_reader :best_fields
      # @return [KnownPostings] the postings of tokens that later states move
      attr_reader :known
      # @return [Bm25fPostings]
      attr_reader :bm25f

      # @param identity [Array(Object, Integer)] a value that identifies the state, and its generation
      # @param masks [CachedMasks]
      # @param memory [Integer] the maximum number of bytes for lengths, ids and postings
      # @param lengths [KeptLengths] the lengths of documents
      def initialize(identity, masks, memory, lengths = KeptLengths.new(memory / 4))
        @state, @generation = identity
        @masks = masks
        @memory = memory
        @lengths = lengths
        @touched = TouchedDocuments.new(@generation)
        @counts = KeptCounts.new(memory / 4, @touched)
        @identifiers = KeptIdentifiers.new(memory / 8)
        @rows = {}
        @text_indexes = {}
        use(CachedPostings.new(memory / 4, @generation), KnownPostings.new(memory / 8, @touched))
      end

      # Cache everything of an earlier state that is the same in this one, except lengths and masks.
      #
      # @param before [CachedState] the earlier state
      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @param rows [Array<Stores::Tables::DocumentRow>] those among them that are stored; not needed if there are too
      #   many
      # @param vectors [Array<Array>] see {TouchedDocuments#after}
      # @return [void]
      def take_over(before, touched, rows, vectors = [])
        @touched = before.touched.after(@generation, touched, rows, vectors)
        @counts = before.counts.after(@touched)
        use(before.postings.after(@generation), before.known.after(@touched))
        @identifiers = before.identifiers.after(touched)
        @identifiers.keep_all(rows.to_h { |row| [row.number, row.identifier] })
      end

      private

      def use(postings, known)
        @postings = postings
        @known = known
        @best_fields = BestFields.new(@text_indexes, postings)
        @bm25f = Bm25fPostings.new(@text_indexes, postings, known)
      end
    end

    # Returns the documents in each state of the tables of a database (SQL-5, PG-5). It is fast because it reads only
    # the data that a question needs.
    #
    # Postings of the last state are cached, up to a limit of memory. Several threads may search at once.
    # Subclasses have `fresh(tables)`, the empty cache of a new state, and `index(tables, kept)`, the documents of one
    # state for one search.
    #
    # @abstract
    class CachedStates
      include Base::ShortInspect

      def initialize
        @kept = nil
      end

      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables]
      # @return [TableIndex] the documents in the current state of the tables
      def state(tables)
        kept = @kept
        if kept.nil? || kept.state != tables.state
          @kept = kept = kept.nil? ? fresh(tables) : after(kept, tables)
        end
        index(tables, kept)
      end

      private

      # Return the parts of an earlier state that are the same in the state of the tables.
      def after(_kept, tables)
        fresh(tables)
      end
    end
  end
end
