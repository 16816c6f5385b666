# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Returns the documents in each state of a collection in PostgreSQL (PG-5).
    class PostgresDocuments < CachedStates
      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param options [Array(Boolean, Integer)] whether the nearest documents may come from an index of approximate
      #   neighbours, and the maximum number of bytes for lengths, ids and postings
      def initialize(bm25, options)
        super()
        @bm25 = bm25
        @approximate, @memory = options
      end

      private

      def fresh(tables)
        CachedCollection.new(tables, @memory)
      end

      def after(cache, tables)
        touched = tables.touched_since(cache.generation, cache.state)
        touched.nil? ? fresh(tables) : cache.after(touched, tables)
      end

      def index(tables, cache)
        PostgresIndex.new(@bm25, tables, cache, @approximate)
      end
    end

    # The cached data of one state of a collection, which later questions reuse.
    class CachedCollection < CachedState
      # @return [Hash{Array=>PostgresVectors::Nearest}] question → its nearest documents
      attr_accessor :nearest
      # @return [Hash{String=>Hash{String=>Object}}] name of a field → id → value, of all documents
      attr_accessor :columns
      # @return [PostgresListings] the listings of all documents
      attr_reader :listings

      # @param tables [Stores::Postgres::PostgresTables] the state
      # @param memory [Integer] see {CachedState}
      # @param cache [Array(PostgresMasks, KeptLengths)] the parts that are the same as in an earlier state
      def initialize(tables, memory, *cache)
        masks, *lengths = cache
        super([tables.state, tables.generation], masks || PostgresMasks.new, memory, *lengths)
        @nearest = {}.freeze
        @columns = {}.freeze
        @listings = PostgresListings.new
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @param tables [Stores::Postgres::PostgresTables] a later state
      # @return [CachedCollection] the parts that are the same in that state
      def after(touched, tables)
        nearest = self.nearest
        few = touched.size <= TouchedDocuments::MOST_TOUCHED
        rows = vectors = []
        if few && nearest.any?
          rows, vectors = tables.changed(touched)
        elsif few || !masks.empty?
          rows = tables.documents(touched)
        end
        later = CachedCollection.new(tables, memory, masks.after(touched, rows, tables), lengths.after(touched))
        later.take_over(self, touched, rows, vectors)
        later.nearest = nearest
        later
      end
    end

    # The documents of one state of a collection (PG-5), for one search.
    class PostgresIndex < TableIndex
      # The number of questions whose nearest documents are cached.
      MOST_NEAREST = 4
      # The number of fields whose values of all documents are cached.
      MOST_COLUMNS = 4
      private_constant :MOST_NEAREST, :MOST_COLUMNS

      # @param bm25 [Stores::Snapshot::Bm25] as for {TableIndex#initialize}
      # @param tables [Stores::Postgres::PostgresTables] as for {TableIndex#initialize}
      # @param cache [CachedCollection] as for {TableIndex#initialize}
      # @param approximate [Boolean] as for {PostgresDocuments}
      def initialize(bm25, tables, cache, approximate)
        super(bm25, tables, cache)
        @approximate = approximate
        @rows = {}
        @near = {}
      end

      # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] the fields of each document except its
      #   vectors, and the names of its vector fields; in no order
      def entries
        @tables.all_documents.lazy.flat_map { |rows| rows.map { |row| [row.fields, row.vector_fields] } }
      end

      # @param query [Stores::Queries::MatchExprs::DenseQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents nearest to its vector that are similar enough, in
      #   the order of ORD-1
      def dense_leg(query, filters)
        row = @tables.fields[query.field]
        limit = [query.topn, count].min
        return [] if row.nil? || limit.zero?

        nearest = nearest(row.field, query, limit, filters)
        @near[query.field] = nearest.read
        ranked(nearest.numbers, nearest.scores, limit)
      end

      # Return the values of documents. If there are many, the values of all documents are read and cached, as a caller
      # that lists documents asks for the next page.
      #
      # @param path [Stores::Documents::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] the values of these documents at the path
      def values(path, identifiers)
        if identifiers.size * MANY < count || !Stores::Filters::Attributes.attribute?(path.steps[0])
          expect(identifiers, [])
          return identifiers.map { |identifier| path.value(fields(identifier) || {}) }
        end
        known = column(path)
        identifiers.map { |identifier| known[identifier] }
      end

      # @param filters [AdapterKit::Filters]
      # @param order [Stores::Queries::SortOrder]
      # @param offset [Integer] the number of documents before the slice
      # @param limit [Integer] the maximum number of documents in the slice
      # @return [Stores::Queries::DocumentListing] a slice of the documents that pass
      def listing(filters, order, offset, limit)
        mask = @kept.masks.mask(filters, @tables)
        total = mask ? mask.count("\1") : count
        first, size = [offset, limit].map { |given| [given, total].min }
        found = if PostgresListings.by_id?(order)
                  @kept.listings.by_id(filters, mask, first, size, @tables)
                else
                  ordered(filters, mask, order, first, size)
                end
        return super if found.nil?

        keep_numbers(found)
        Stores::Queries::DocumentListing.new(total, found.keys)
      end

      # Read documents that will be requested, together.
      #
      # @param identifiers [Array<String>] their ids
      # @param vector_fields [Array<String>, nil] the vector fields that will be requested; nil: all
      # @return [void]
      def expect(identifiers, vector_fields)
        read_rows(identifiers.reject { |identifier| @rows.key?(identifier) })
        fields = vector_fields || @tables.fields.keys
        wanted = fields.select { |field| field.end_with?("_vec") && @tables.fields.key?(field) }
        read_vectors(identifiers, wanted) unless wanted.empty?
      end

      private

      # Return the ids and numbers of a slice in an order by fields, nil if the server cannot determine it.
      def ordered(filters, mask, order, first, size)
        written = @kept.listings.ordered(filters, mask, order, @tables)
        return nil if written.nil?

        numbers = written.byteslice(4 * first, 4 * size).unpack("N*")
        known = known_identifiers(numbers)
        numbers.to_h { |number| [known[number], number] }
      end

      def held(identifier)
        read_rows([identifier]) unless @rows.key?(identifier)
        row = @rows[identifier]
        row && [row.fields, row.vector_fields]
      end

      def read_rows(missing)
        return if missing.empty?

        unknown = missing.reject { |identifier| known_number(identifier) }
        keep_numbers(@tables.numbers_of(unknown)) unless unknown.empty?
        numbers = missing.filter_map { |identifier| @numbers[identifier] }
        @tables.documents(numbers).each { |row| @rows[row.identifier] = row }
      end

      # Read vectors, except those of candidates of the dense leg, which were read before.
      def read_vectors(identifiers, fields)
        missing = {}
        identifiers.product(fields) do |identifier, field|
          next if @vectors.key?([identifier, field]) || !@rows[identifier]&.vector_fields&.include?(field)

          number = @numbers[identifier]
          near = @near.dig(field, number)
          near ? @vectors[[identifier, field]] = near : missing[number] = identifier
        end
        return if missing.empty?

        @tables.vectors(fields, missing.keys).each do |(field, number), vector|
          @vectors[[missing[number], field]] = vector
        end
      end

      def read_vector(identifier, field)
        read_vectors([identifier], [field])
        @vectors[[identifier, field]]
      end

      def text_field(name)
        @tables.fields[name]
      end

      # Return id → the value of a document at a path, for all documents.
      def column(path)
        @kept.columns[path.name] || begin
          rows = @tables.all_documents.lazy.flat_map(&:itself)
          read = rows.to_h { |row| [row.identifier, path.value(row.fields)] }
          @kept.columns = @kept.columns.to_a.last(MOST_COLUMNS - 1).to_h.merge(path.name => read).freeze
          read
        end
      end

      # Return the results of the server. A repeated question, for more of its results, is not sent again. After a
      # change only the touched vectors are read, if that is enough.
      def nearest(field, query, limit, filters)
        key = [field, query.vector.pack("E*"), query.topn, query.similarity, filters.key]
        known = @kept.nearest[key]
        touched = @kept.touched
        return known if known && known.generation == touched.generation

        vectors = PostgresVectors.new(field, query, limit, @tables, @kept.masks.mask(filters, @tables))
        found = (known && vectors.nearest_after(known, touched)) || vectors.nearest(@approximate, touched.generation)
        @kept.nearest = @kept.nearest.except(key).to_a.last(MOST_NEAREST - 1).to_h.merge(key => found).freeze
        found
      end

      def text_indexes(query)
        found = super
        @tables.expect_places(found.keys.map { |name| @tables.fields[name].field }, query.tokens)
        found
      end
    end
  end
end
