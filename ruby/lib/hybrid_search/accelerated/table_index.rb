# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents in the tables of a database with their indexes (SQL-5, PG-5), in a fast form, in one state, for one
    # search: a read-only form of the document index of a store in memory.
    #
    # Subclasses have `entries`, `dense_leg`, `expect`, and `held(identifier)`, which returns the fields of a document
    # except its vectors, and the names of its vector fields; `read_vector(identifier, field)`, which returns a stored
    # vector that has not been read yet; and `text_field(name)`, which returns a field of tokens.
    #
    # @abstract
    class TableIndex
      include Base::ShortInspect

      # If more than 1 / `MANY` of all ids are missing, all of them are read at once.
      MANY = 4

      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the state, in the transaction of
      #   the search
      # @param cache [CachedState] the caches that earlier searches of the same state have filled
      def initialize(bm25, tables, cache)
        @bm25 = bm25
        @tables = tables
        @kept = cache
        @numbers = {}
        @vectors = {}
      end

      # @return [Integer] the number of documents
      def count
        @tables.count
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}, nil] the fields of a document except its vectors
      def fields(identifier)
        held(identifier)&.first
      end

      # @param identifier [String]
      # @param field [String]
      # @return [Array<Float>, nil] the vector of a document in a field
      def vector(identifier, field)
        return nil unless held(identifier)&.last&.include?(field)

        @vectors[[identifier, field]] || read_vector(identifier, field)
      end

      # @param identifier [String]
      # @return [Stores::Documents::StoredDocument, nil] the document
      def stored(identifier)
        fields, vector_fields = held(identifier)
        return nil if fields.nil?

        vectors = vector_fields.to_h { |field| [field, vector(identifier, field)] }
        Stores::Documents::StoredDocument.new(identifier, fields, vectors)
      end

      # @param filters [AdapterKit::Filters]
      # @return [Array<String>] the ids of the documents that pass, in no order
      def passing(filters)
        mask = @kept.masks.mask(filters, @tables)
        numbers = mask && (0...mask.bytesize).select { |number| mask.getbyte(number) == 1 }
        known = known_identifiers(numbers)
        found = numbers ? numbers.to_h { |number| [known[number], number] } : known.invert
        @numbers.update(found)
        found.keys
      end

      # @param filters [AdapterKit::Filters]
      # @return [Boolean] whether all documents are known to pass without a look at each
      def passes_all?(filters)
        @kept.masks.mask(filters, @tables).nil?
      end

      # @param query [Stores::Queries::MatchExprs::TextQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents that match, in the order of ORD-1
      def text_leg(query, filters)
        limit = [query.topn, @tables.numbers].min
        best_fields = @kept.best_fields.over(text_indexes(query))
        slots, scores = QueryEvaluator.new(best_fields, new_sums)
                                      .best(query.fields, query.clauses, limit, @kept.masks.mask(filters, @tables))
        ranked(slots, scores, limit)
      end

      # @param query [Stores::Queries::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents that contain a token of a bag, in the order of
      #   ORD-1 (DOC-9)
      def bm25f_leg(query, filters)
        leg = bm25f(query, filters)
        ranked(*leg.best, leg.limit)
      end

      # Return the head of a leg; the scores are those of documents that the leg has found.
      #
      # @param query [Stores::Queries::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Stores::Snapshot::LegHead] the first hundred documents of that leg
      def bm25f_head(query, filters)
        FastLegHead.of_leg(bm25f(query, filters), @numbers.method(:[])) { |*found| ranked(*found) }
      end

      # @param path [Stores::Documents::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] the values of these documents at the path; they are read together
      def values(path, identifiers)
        expect(identifiers, [])
        identifiers.map { |identifier| path.value(fields(identifier) || {}) }
      end

      # @param filters [AdapterKit::Filters]
      # @param order [Stores::Queries::SortOrder]
      # @param offset [Integer] the number of documents before the slice
      # @param limit [Integer] the maximum number of documents in the slice
      # @return [Stores::Queries::DocumentListing] a slice of the documents that pass
      def listing(filters, order, offset, limit)
        Stores::Queries::DocumentListing.of(passing(filters), order, offset, limit, &method(:values))
      end

      # @param _identifiers [Array<String>]
      # @return [Hash{String=>Object}] id → the form prepared for reranking; this index has none
      def prepared(_identifiers)
        {}
      end

      private

      # Return an object that finds the best sums of texts, for one query.
      def new_sums
        BestSums.new(@tables.numbers, Array.new(@tables.numbers, 0.0), Array.new(@tables.numbers, 0))
      end

      def text_indexes(query)
        query.fields.each_with_object({}) do |(name, _), found|
          index = @kept.text_indexes[name] || new_index(name)
          found[name] = index.reading(@tables) if index
        end
      end

      def new_index(name)
        row = text_field(name)
        return nil if row.nil? || row.documents.zero?

        @kept.text_indexes[name] =
          StoredInvertedIndex.new(@bm25, row, @tables, @kept.lengths, @kept.counts, @kept.postings)
      end

      # Return the ids of some documents, or of all, by number.
      def known_identifiers(numbers)
        kept = @kept.identifiers
        found = numbers ? kept.found(numbers) : kept.all
        missing = numbers ? numbers.reject { |number| found.key?(number) }.sort : []
        if numbers.nil? ? found.size < count : missing.size * MANY > count
          read = @tables.identifiers.to_h
        elsif !missing.empty?
          read = @tables.identifiers_of(missing).to_h
        end
        return found if read.nil?

        kept.keep_all(read)
        found.merge(read)
      end

      # Cache the numbers of documents that have been read, given by their ids.
      def keep_numbers(found)
        @numbers.update(found)
        @kept.identifiers.keep_all(found.invert)
      end

      # Return the number of a document; nil if no search has found it.
      def known_number(identifier)
        @numbers[identifier] ||= @kept.identifiers.number(identifier)
      end

      def bm25f(query, filters)
        limit = [query.topn, @tables.numbers].min
        bm25f = @kept.bm25f.over(text_indexes(query))
        bm25f.leg(query, count, limit, new_sums, @kept.masks.mask(filters, @tables))
      end

      def ranked(slots, scores, limit)
        known = known_identifiers(slots)
        identifiers = slots.map { |number| known[number] }
        identifiers.zip(slots) { |identifier, number| @numbers[identifier] = number }
        Base::Ordering.rank(identifiers.zip(scores)).take(limit)
      end
    end
  end
end
