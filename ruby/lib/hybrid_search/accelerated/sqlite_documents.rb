# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # What questions have made of one state of an index file, for those that follow.
    class KeptState
      include ShortInspect

      # @return [Integer] the state's
      attr_reader :generation
      # @return [SqliteMasks]
      attr_reader :masks
      # @return [Hash{Integer=>String}] numbers of documents → ids
      attr_reader :identifiers
      # @return [Hash{String=>StoredInvertedIndex}]
      attr_reader :text_indexes
      # @return [BestFields]
      attr_reader :best_fields
      # @return [Bm25fPostings]
      attr_reader :bm25f

      def initialize(generation)
        @generation = generation
        @masks = SqliteMasks.new
        @identifiers = {}
        @text_indexes = {}
        @best_fields = BestFields.new(@text_indexes)
        @bm25f = Bm25fPostings.new(@text_indexes)
        freeze
      end
    end

    # Gives the documents in each state of an index file and what finds them (SQL-5), fast: only what a question needs
    # is read.
    #
    # Postings of the last state are kept as far as a store in memory keeps them, vectors as far as they fit. Several
    # threads may ask at once.
    class SqliteDocuments
      include ShortInspect

      # @param bm25 [Storing::Bm25] the formula
      # @param memory [Integer] how many bytes of vectors may be kept
      def initialize(bm25, memory)
        @bm25 = bm25
        @vectors = SqliteVectors.new(memory)
        @kept = KeptState.new(-1)
      end

      # @param tables [Storing::SqliteTables]
      # @return [SqliteIndex] the documents as the tables have them
      def state(tables)
        kept = @kept
        @kept = kept = KeptState.new(tables.generation) if kept.generation != tables.generation
        SqliteIndex.new(@bm25, tables, kept, @vectors)
      end
    end

    # The documents of one state of an index file, for one search: the document index of a store in memory, for reading
    # alone.
    class SqliteIndex
      include ShortInspect

      # Where one document in so many is asked for, the ids of all are read at once.
      MANY = 4

      # @param bm25 [Storing::Bm25] the formula
      # @param tables [Storing::SqliteTables] the state, as the search's transaction sees it
      # @param kept [KeptState] what earlier searches have made of the same state
      # @param vectors [SqliteVectors] finds the nearest
      def initialize(bm25, tables, kept, vectors)
        @bm25 = bm25
        @tables = tables
        @kept = kept
        @vectors = vectors
        @numbers = {}
        @read = {}
        @components = {}
      end

      # @return [Integer] how many documents there are
      def count
        @tables.count
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}, nil] the fields of a document but its vectors
      def fields(identifier)
        held(identifier)&.first
      end

      # @param identifier [String]
      # @param field [String]
      # @return [Array<Float>, nil] the vector of a document in a field
      def vector(identifier, field)
        return nil unless held(identifier)&.last&.include?(field)

        @components[[identifier, field]] || @tables.vector(number(identifier), field)
      end

      # @param identifier [String]
      # @return [Storing::StoredDocument, nil] the document
      def stored(identifier)
        fields, vector_fields = held(identifier)
        fields && Storing::StoredDocument.new(identifier, fields,
                                              vector_fields.to_h { |field| [field, vector(identifier, field)] })
      end

      # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] the fields of each document but its
      #   vectors, and the names of its vector fields; in no order
      def entries
        all_identifiers.keys.each_slice(Storing::SqliteTables::AT_ONCE).lazy.flat_map do |numbers|
          @tables.fields_of(numbers).values
        end
      end

      # @param filters [AdapterKit::Filters]
      # @return [Array<String>] the ids of the documents that pass, in no order
      def passing(filters)
        mask = @kept.masks.mask(filters, @tables)
        all = all_identifiers
        all = all.select { |number, _| mask.getbyte(number) == 1 } if mask
        all.each { |number, identifier| @numbers[identifier] = number }
        all.values
      end

      # @param query [Storing::MatchExprs::TextQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents that match, at most its `topn`, in the order of ORD-1
      def text_leg(query, filters)
        limit = [query.topn, @tables.numbers].min
        room = [Array.new(@tables.numbers, 0.0), Array.new(@tables.numbers, 0)]
        best_fields = @kept.best_fields.over(text_indexes(query.fields))
        slots, scores = QueryEvaluator.new(best_fields, @tables.numbers, *room)
                                      .best(query.fields, query.clauses, limit, @kept.masks.mask(filters, @tables))
        ranked(slots, scores, limit)
      end

      # @param query [Storing::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents that hold a token of a bag, at most its `topn`, in the order
      #   of ORD-1 (DOC-9)
      def bm25f_leg(query, filters)
        limit = [query.topn, @tables.numbers].min
        sums = BestSums.new(@tables.numbers, Array.new(@tables.numbers, 0.0), Array.new(@tables.numbers, 0))
        bm25f = @kept.bm25f.over(text_indexes(query.fields))
        slots, scores = bm25f.best(query, count, limit, sums, @kept.masks.mask(filters, @tables))
        ranked(slots, scores, limit)
      end

      # @param query [Storing::MatchExprs::DenseQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents nearest to its vector, at most its `topn`, only with enough
      #   similarity, by ORD-1
      def dense_leg(query, filters)
        row = @tables.field(Storing::SqliteSchema::ATTRIBUTES, query.field)
        return [] unless row

        limit = [query.topn, @tables.numbers].min
        ranked(*@vectors.best(query, row, @tables, limit, @kept.masks.mask(filters, @tables)), limit)
      end

      # Of attributes the values alone are read. An object, and a list in a list, is told by another one: they neither
      # order documents nor are counted.
      #
      # @param path [Storing::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] what these documents have there
      def values(path, identifiers)
        if identifiers.size * MANY < count || !Storing::Attributes.attribute?(path.steps[0])
          expect(identifiers.reject { |identifier| @read.key?(identifier) }, [])
          return identifiers.map { |identifier| path.value(fields(identifier) || {}) }
        end

        column = column(path)
        identifiers.map { |identifier| column[@numbers[identifier]] }
      end

      # Say which documents will be asked for next, and which of their vectors: these are read together.
      #
      # @param identifiers [Array<String>]
      # @param vector_fields [Array<String>, nil] which of their vectors will be asked for; nil: all
      # @return [void]
      def expect(identifiers, vector_fields)
        numbers = identifiers.to_h { |identifier| [number(identifier), identifier] }
        numbers.delete(nil)
        @tables.fields_of(numbers.keys).each { |number, held| @read[numbers[number]] = held }
        fields = identifiers.flat_map { |identifier| (@read[identifier] || raise(@tables.damaged))[1] }.uniq
        fields &= vector_fields if vector_fields
        fields.each { |field| expect_vectors(field, numbers) }
      end

      # @param _identifiers [Array<String>]
      # @return [Hash{String=>Object}] id → what was made of a document for reranking; nothing here
      def prepared(_identifiers)
        {}
      end

      private

      # Number of a document => what it has at a path.
      def column(path)
        row = @tables.field(Storing::SqliteSchema::ATTRIBUTES, path.name)
        terms = row ? @tables.terms(row.field) : []
        terms.each_with_object({}) do |(written, places), found|
          value = Storing::Attributes.read(written)
          places.unpack("q<*").each { |place| found[place >> InvertedIndex::POSITION_BITS] = value }
        end
      end

      # The numbers and ids of all documents.
      def all_identifiers
        known = @kept.identifiers
        known.update(@tables.identifiers.to_h) if known.size < count
        known.dup
      end

      def number(identifier)
        @numbers[identifier] || @tables.number(identifier)
      end

      def expect_vectors(field, numbers)
        row = @tables.field(Storing::SqliteSchema::ATTRIBUTES, field)
        return unless row

        dimension = Storing::StoredDocument.vector_dimension("field", field)
        @tables.vectors(row.field, numbers.keys, dimension).each do |number, _, vector|
          @components[[numbers[number], field]] = vector
        end
      end

      # The fields of a document but its vectors, and the names of its vector fields.
      def held(identifier)
        @read[identifier] ||= begin
          number = number(identifier)
          number && @tables.fields(number)
        end
      end

      def text_indexes(fields)
        fields.each_with_object({}) do |(name, _), found|
          index = @kept.text_indexes[name] || new_index(name)
          found[name] = index.reading(@tables) if index
        end
      end

      def new_index(name)
        row = @tables.field(Storing::SqliteSchema::TOKENS, name)
        return nil if row.nil? || row.documents.zero?

        @kept.text_indexes[name] = StoredInvertedIndex.new(@bm25, row, @tables)
      end

      def ranked(slots, scores, limit)
        known = @kept.identifiers
        missing = slots.reject { |number| known.key?(number) }
        unless missing.empty?
          whole = missing.size * MANY > count
          known.update(whole ? @tables.identifiers.to_h : @tables.identifiers_of(missing))
        end
        identifiers = known.values_at(*slots)
        identifiers.each_with_index { |identifier, index| @numbers[identifier] = slots[index] }
        Ordering.rank(identifiers.zip(scores)).take(limit)
      end
    end
  end
end
