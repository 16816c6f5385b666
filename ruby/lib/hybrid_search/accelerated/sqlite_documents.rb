# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Returns the documents in each state of an index file (SQL-5); vectors are cached up to a size.
    class SqliteDocuments < CachedStates
      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param memory [Integer] the maximum number of bytes of cached vectors, and of cached lengths, ids and postings
      #   together
      def initialize(bm25, memory)
        super()
        @bm25 = bm25
        @memory = memory
      end

      private

      def fresh(tables)
        emptied(tables, SqliteVectors.new(@memory))
      end

      def after(cache, tables)
        changes = Stores::Sqlite::SqliteChanges.new(tables).since(cache.generation, cache.mark)
        return fresh(tables) if changes.nil?
        return emptied(tables, cache.nearest.after(nil)) if changes.numbers.nil?

        cache.after(changes.numbers, tables)
      end

      def emptied(tables, nearest)
        CachedFile.new(tables, @memory, SqliteMasks.new, KeptLengths.new(@memory / 4), nearest)
      end

      def index(tables, cache)
        SqliteIndex.new(@bm25, tables, cache)
      end
    end

    # The cached data of one state of a file, which later questions reuse.
    class CachedFile < CachedState
      # @return [String, nil] the mark of the batch that has made it; nil if it is not known
      attr_reader :mark
      # @return [SqliteVectors] finds the nearest vectors
      attr_reader :nearest
      # @return [KeptDocuments] the documents that searches have read
      attr_reader :documents

      # @param tables [Stores::Sqlite::SqliteTables] the state
      # @param memory [Integer] as for {SqliteDocuments#initialize}
      # @param masks [SqliteMasks] the masks of filters
      # @param lengths [KeptLengths] the lengths of documents
      # @param nearest [SqliteVectors] finds the nearest vectors
      def initialize(tables, memory, masks, lengths, nearest)
        super([tables.state, tables.generation], masks, memory, lengths)
        @mark = Stores::Sqlite::SqliteChanges.new(tables).mark
        @nearest = nearest
        @documents = KeptDocuments.new(memory / 8)
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @param tables [Stores::Sqlite::SqliteTables] a later state
      # @return [CachedFile] the parts that are the same in that state
      def after(touched, tables)
        needed = touched.size <= TouchedDocuments::MOST_TOUCHED || !masks.empty?
        rows = needed ? Stores::Sqlite::SqliteChanges.new(tables).documents(touched) : []
        masks = self.masks.after(touched, rows, tables)
        later = CachedFile.new(tables, memory, masks, lengths.after(touched), nearest.after(touched))
        later.take_over(self, touched, rows)
        later
      end

      # (see CachedState#take_over)
      def take_over(before, touched, rows, vectors = [])
        super
        @documents = before.documents.after(touched)
      end
    end

    # The documents of one state of an index file (SQL-5), for one search.
    class SqliteIndex < TableIndex
      # @param bm25 [Stores::Snapshot::Bm25] as for {TableIndex#initialize}
      # @param tables [Stores::Sqlite::SqliteTables] as for {TableIndex#initialize}
      # @param cache [CachedFile] as for {TableIndex#initialize}
      def initialize(bm25, tables, cache)
        super
        @read = {}
      end

      # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] the fields of each document except its
      #   vectors, and the names of its vector fields; in no order
      def entries
        known_identifiers(nil).keys.each_slice(Stores::Sqlite::SqliteTables::AT_ONCE).lazy.flat_map do |numbers|
          @tables.fields_of(numbers).values
        end
      end

      # @param query [Stores::Queries::MatchExprs::DenseQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents nearest to its vector that are similar enough, in
      #   the order of ORD-1
      def dense_leg(query, filters)
        field_row = row(Stores::Sqlite::SqliteSchema::ATTRIBUTES, query.field)
        return [] unless field_row

        limit = [query.topn, @tables.numbers].min
        ranked(*@kept.nearest.best(query, field_row, @tables, limit, @kept.masks.mask(filters, @tables)), limit)
      end

      # Read the values of documents. Only the values of attributes are read; an object, or a list in a list, is
      # replaced by a placeholder: such values neither order documents nor are counted.
      #
      # @param path [Stores::Documents::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] the values of these documents at the path
      def values(path, identifiers)
        return super if identifiers.size * MANY < count || !Stores::Filters::Attributes.attribute?(path.steps[0])

        column = column(path)
        identifiers.map { |identifier| column[@numbers[identifier]] }
      end

      # Announce the documents that will be requested next, and their vectors: these are read together.
      #
      # @param identifiers [Array<String>]
      # @param vector_fields [Array<String>, nil] the vector fields that will be requested; nil: all
      # @return [void]
      def expect(identifiers, vector_fields)
        numbers = identifiers.to_h { |identifier| [number(identifier), identifier] }
        numbers.delete(nil)
        unread = numbers.reject { |number, identifier| read?(number, identifier) }.keys
        @tables.fields_of(unread).each { |number, held| keep(number, numbers[number], held) }
        fields = numbers.values.flat_map { |identifier| (@read[identifier] || raise(@tables.damaged))[1] }.uniq
        fields &= vector_fields if vector_fields
        fields.each { |field| expect_vectors(field, numbers) }
      end

      private

      # Return number of a document => its value at a path.
      def column(path)
        field_row = row(Stores::Sqlite::SqliteSchema::ATTRIBUTES, path.name)
        terms = field_row ? @tables.terms(field_row.field) : []
        terms.each_with_object({}) do |(written, places), found|
          value = Stores::Filters::Attributes.read(written)
          places.unpack("q<*").each { |place| found[place >> FastInvertedIndex::POSITION_BITS] = value }
        end
      end

      def number(identifier)
        known_number(identifier) || @tables.number(identifier)
      end

      def expect_vectors(field, numbers)
        field_row = row(Stores::Sqlite::SqliteSchema::ATTRIBUTES, field)
        return unless field_row

        dimension = Stores::Documents::StoredDocument.vector_dimension("field", field)
        @tables.vectors(field_row.field, numbers.keys, dimension).each do |number, _, vector|
          @vectors[[numbers[number], field]] = vector
        end
      end

      def read_vector(identifier, field)
        @tables.vector(number(identifier), field)
      end

      def text_field(name)
        row(Stores::Sqlite::SqliteSchema::TOKENS, name)
      end

      def row(kind, name)
        known = @kept.rows
        known[[kind, name]] = @tables.field(kind, name) unless known.key?([kind, name])
        known[[kind, name]]
      end

      # Return the fields of a document except its vectors, and the names of its vector fields.
      def held(identifier)
        return @read[identifier] if @read.key?(identifier)

        number = number(identifier)
        return if number.nil?

        keep(number, identifier, @tables.fields(number)) unless read?(number, identifier)
        @read[identifier]
      end

      # Return whether a document has been read, in this search or before.
      def read?(number, identifier)
        held = @kept.documents.find(number) unless @read.key?(identifier)
        @read[identifier] = held if held
        @read.key?(identifier)
      end

      def keep(number, identifier, held)
        @read[identifier] = held
        @kept.documents.keep(number, held)
      end
    end
  end
end
