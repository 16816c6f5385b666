# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Gives the documents in each state of a collection in PostgreSQL and what finds them (PG-5), fast: only what a
    # question needs is read.
    #
    # Postings of the last state are kept as far as a store in memory keeps them. Several threads may ask at once.
    class PostgresDocuments
      include ShortInspect

      # The nearest documents of a question, in no order, and the vectors that were read on the way.
      class Nearest
        include ShortInspect

        # @return [Array<Integer>] numbers of documents, among them the best with all ties of the last
        attr_reader :numbers
        # @return [Array<Float>] their cosines
        attr_reader :scores
        # @return [Hash{Integer=>Array<Float>}] number → vector
        attr_reader :read

        def initialize(numbers, scores, read)
          @numbers = numbers
          @scores = scores
          @read = read
          freeze
        end
      end

      # What questions have made of one state of a collection, for those that follow.
      class KeptState
        include ShortInspect

        # @return [String] the state's
        attr_reader :state
        # @return [PostgresMasks]
        attr_reader :masks
        # @return [Hash{Integer=>String}] numbers of documents → ids
        attr_reader :identifiers
        # @return [Hash{String=>StoredInvertedIndex}]
        attr_reader :text_indexes
        # @return [BestFields]
        attr_reader :best_fields
        # @return [Bm25fPostings]
        attr_reader :bm25f
        # @return [Hash{Array=>Nearest}] question → what was found
        attr_accessor :nearest
        # @return [Hash{String=>Storing::FieldRow}, nil] the fields, once they have been read
        attr_accessor :fields

        def initialize(state)
          @state = state
          @masks = PostgresMasks.new
          @nearest = {}.freeze
          @identifiers = {}
          @text_indexes = {}
          @best_fields = BestFields.new(@text_indexes)
          @bm25f = Bm25fPostings.new(@text_indexes)
        end
      end

      # @param bm25 [Storing::Bm25] the formula
      # @param approximate [Boolean] whether the nearest may be taken from an index of approximate neighbours
      def initialize(bm25, approximate)
        @bm25 = bm25
        @approximate = approximate
        @kept = KeptState.new("")
      end

      # @param tables [Storing::PostgresTables]
      # @return [PostgresIndex] the documents as the tables have them
      def state(tables)
        kept = @kept
        @kept = kept = KeptState.new(tables.state) if kept.state != tables.state
        PostgresIndex.new(@bm25, tables, kept, @approximate)
      end
    end

    # The documents of one state, for one search: the documents index of a store in memory, for reading alone.
    class PostgresIndex
      include ShortInspect

      # Where more than one in so many ids is missing, those of all are read at once.
      MANY = 4
      # Of how many questions the nearest are kept.
      MOST_NEAREST = 4
      private_constant :MANY, :MOST_NEAREST

      # @param bm25 [Storing::Bm25] the formula
      # @param tables [Storing::PostgresTables] the state, as the search's transaction sees it
      # @param kept [PostgresDocuments::KeptState] what earlier searches have made of the same state
      # @param approximate [Boolean] as for {PostgresDocuments}
      def initialize(bm25, tables, kept, approximate)
        @bm25 = bm25
        @tables = tables
        @kept = kept
        @approximate = approximate
        @numbers = {}
        @rows = {}
        @vectors = {}
        @near = {}
        kept.fields ||= tables.fields
        tables.fields = kept.fields
      end

      # @return [Integer] how many documents there are
      def count
        @tables.count
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}, nil] the fields of a document but its vectors
      def fields(identifier)
        row(identifier)&.fields
      end

      # @param identifier [String]
      # @param field [String]
      # @return [Array<Float>, nil] the vector of a document in a field
      def vector(identifier, field)
        return nil unless row(identifier)&.vector_fields&.include?(field)

        read_vectors([identifier], [field]) unless @vectors.key?([identifier, field])
        @vectors[[identifier, field]]
      end

      # @param identifier [String]
      # @return [Storing::StoredDocument, nil] the document
      def stored(identifier)
        row = row(identifier)
        return nil if row.nil?

        vectors = row.vector_fields.to_h { |field| [field, vector(identifier, field)] }
        Storing::StoredDocument.new(identifier, row.fields, vectors)
      end

      # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] the fields of each document but its
      #   vectors, and the names of its vector fields; in no order
      def entries
        @tables.all_documents.lazy.flat_map { |rows| rows.map { |row| [row.fields, row.vector_fields] } }
      end

      # @param filters [AdapterKit::Filters]
      # @return [Array<String>] the ids of the documents that pass, in no order
      def passing(filters)
        mask = @kept.masks.mask(filters, @tables)
        return known_identifiers(nil).values if mask.nil?

        numbers = (0...mask.bytesize).select { |number| mask.getbyte(number) == 1 }
        known_identifiers(numbers).values_at(*numbers)
      end

      # @param query [Storing::MatchExprs::TextQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents that match, at most its `topn`, in the order of ORD-1
      def text_leg(query, filters)
        mask = @kept.masks.mask(filters, @tables)
        limit = [query.topn, @tables.numbers].min
        room = [Array.new(@tables.numbers, 0.0), Array.new(@tables.numbers, 0)]
        tokens = query.clauses.clauses.flat_map { |clause| [*clause.tokens, clause.tokens.join(" ")] }.uniq
        best_fields = @kept.best_fields.over(text_indexes(query.fields, tokens))
        slots, scores = QueryEvaluator.new(best_fields, @tables.numbers, *room)
                                      .best(query.fields, query.clauses, limit, mask)
        ranked(slots, scores, limit)
      end

      # @param query [Storing::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents that hold a token of a bag, at most its `topn`, in the order
      #   of ORD-1 (DOC-9)
      def bm25f_leg(query, filters)
        limit = [query.topn, @tables.numbers].min
        sums = BestSums.new(@tables.numbers, Array.new(@tables.numbers, 0.0), Array.new(@tables.numbers, 0))
        bm25f = @kept.bm25f.over(text_indexes(query.fields, query.counts.keys))
        slots, scores = bm25f.best(query, count, limit, sums, @kept.masks.mask(filters, @tables))
        ranked(slots, scores, limit)
      end

      # @param query [Storing::MatchExprs::DenseQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] the documents nearest to its vector, at most its `topn`, only with enough
      #   similarity, by ORD-1
      def dense_leg(query, filters)
        row = @tables.fields[query.field]
        limit = [query.topn, @tables.numbers].min
        return [] if row.nil? || limit.zero?

        nearest = nearest(row.field, query, limit, filters)
        @near[query.field] = nearest.read
        ranked(nearest.numbers, nearest.scores, limit)
      end

      # @param path [Storing::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] what these documents have there; they are read at once
      def values(path, identifiers)
        expect(identifiers, [])
        identifiers.map { |identifier| path.value(fields(identifier) || {}) }
      end

      # Read documents that will be asked for, at once.
      #
      # @param identifiers [Array<String>] their ids
      # @param vector_fields [Array<String>, nil] which of their vectors will be asked for; nil: all
      # @return [void]
      def expect(identifiers, vector_fields)
        read_rows(identifiers.reject { |identifier| @rows.key?(identifier) })
        fields = vector_fields || @tables.fields.keys
        wanted = fields.select { |field| field.end_with?("_vec") && @tables.fields.key?(field) }
        read_vectors(identifiers, wanted) unless wanted.empty?
      end

      # @param _identifiers [Array<String>]
      # @return [Hash{String=>Object}] id → what was made of a document for reranking; nothing here
      def prepared(_identifiers)
        {}
      end

      private

      def row(identifier)
        read_rows([identifier]) unless @rows.key?(identifier)
        @rows[identifier]
      end

      def read_rows(missing)
        return if missing.empty?

        unknown = missing.reject { |identifier| @numbers.key?(identifier) }
        @numbers.update(@tables.numbers_of(unknown)) unless unknown.empty?
        numbers = missing.filter_map { |identifier| @numbers[identifier] }
        @tables.documents(numbers).each { |row| @rows[row.identifier] = row }
      end

      # Read vectors, but those of candidates of the dense leg, which were read before.
      def read_vectors(identifiers, fields)
        missing = {}
        identifiers.product(fields) do |identifier, field|
          next if @vectors.key?([identifier, field]) || !@rows[identifier]&.vector_fields&.include?(field)

          number = @numbers[identifier]
          near = @near.dig(field, number)
          near ? @vectors[[identifier, field]] = near : missing[number] = identifier
        end
        @tables.vectors(fields, missing.keys).each do |(field, number), vector|
          @vectors[[missing[number], field]] = vector
        end
      end

      # What the server finds; a question that comes again, for more of its results, need not be asked again.
      def nearest(field, query, limit, filters)
        key = [field, query.vector.pack("E*"), query.topn, query.similarity, filters.key]
        known = @kept.nearest[key]
        return known if known

        vectors = PostgresVectors.new(field, query, limit, @tables, @kept.masks.mask(filters, @tables))
        found = PostgresDocuments::Nearest.new(*(@approximate ? vectors.approximate : vectors.best), vectors.read)
        @kept.nearest = @kept.nearest.to_a.last(MOST_NEAREST - 1).to_h.merge(key => found).freeze
        found
      end

      # The indexes of some fields, with the places of some tokens, which are read at once.
      def text_indexes(fields, tokens)
        found = fields.each_with_object({}) do |(name, _), indexes|
          index = @kept.text_indexes[name] || new_index(name)
          indexes[name] = index.reading(@tables) if index
        end
        @tables.expect_places(found.keys.map { |name| @tables.fields[name].field }, tokens)
        found
      end

      def new_index(name)
        row = @tables.fields[name]
        return nil if row.nil? || row.documents.zero?

        @kept.text_indexes[name] = StoredInvertedIndex.new(@bm25, row, @tables)
      end

      # The ids of some documents, or of all.
      def known_identifiers(numbers)
        known = @kept.identifiers
        missing = numbers ? numbers.reject { |number| known.key?(number) } : []
        if numbers.nil? ? known.size < count : missing.size * MANY > count
          known.update(@tables.identifiers)
        elsif !missing.empty?
          known.update(@tables.identifiers_of(missing))
        end
        known
      end

      def ranked(slots, scores, limit)
        identifiers = known_identifiers(slots).values_at(*slots)
        identifiers.zip(slots) { |identifier, number| @numbers[identifier] = number }
        Ordering.rank(identifiers.zip(scores)).take(limit)
      end
    end
  end
end
