# frozen_string_literal: true

module HybridSearch
  # Documents in PostgreSQL with pgvector, which both languages read and write (PG-1 … PG-6); scores and order equal
  # those of a {MemoryDocStore}, bit for bit. The store needs the gem pg.
  #
  # A batch is one transaction, and each search sees one state. Any number of processes in either language may read and
  # write; the writers of a collection take turns. The store is safe to use from several threads, and in a forked child.
  #
  #   HybridSearch::PostgresDocStore.open("postgresql://localhost/library", collection: "handbook") do |store|
  #     puts store.count
  #   end
  class PostgresDocStore < Stores::Tables::TableStore
    OPTIONS = %w[connection collection bm25 kernels migrate timeout connections dense memory].freeze
    DENSE = %w[exact hnsw].freeze
    LONGEST_TIMEOUT = 86_400.0
    MEGABYTE = 1 << 20
    # The maximum number of UTF-8 bytes of a name in PostgreSQL.
    LONGEST_NAME = 63
    # The schemas that every database has.
    OTHERS = %w[public information_schema].freeze
    # The maximum number of components of a vector in an index of pgvector.
    MOST_INDEXED = 2000
    private_constant :MEGABYTE, :OTHERS, :OPTIONS, :DENSE, :LONGEST_TIMEOUT, :LONGEST_NAME, :MOST_INDEXED

    # @return [String] the name of the schema that contains the documents
    attr_reader :collection

    # Open a store and close it after the block; without a block, return it open.
    #
    # @param connection [String, PG::Connection, #checkout] see {#initialize}
    # @param options [Hash] see {#initialize}
    # @yieldparam store [PostgresDocStore]
    # @return [PostgresDocStore, Object] the store, or the result of the block
    def self.open(connection, **options)
      store = new(connection, **options)
      return store unless block_given?

      begin
        yield store
      ensure
        store.close
      end
    end

    # @param connection [String, PG::Connection, #checkout] a URL or another connection string of libpq, a connection,
    #   or a pool of connections with `checkout` and `checkin`, such as a ConnectionPool or that of ActiveRecord. The
    #   store does not close a given connection or pool
    # @param collection [String] the name of the schema that contains the documents
    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @param kernels [String, nil] "plain" or "fast", see {Base::Kernels.choice}
    # @param migrate [Boolean] whether a missing collection is created
    # @param timeout [Float] the maximum number of seconds for a statement, and for waiting for a connection
    # @param connections [Integer] the maximum number of connections that the store creates from a connection string
    # @param dense [String] "exact", or "hnsw" to find the nearest vectors with an index made by {#build_index} (PG-6)
    # @param memory [Integer] the number of megabytes of lengths, ids and postings to cache between searches
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [DocStoreError] the server cannot be reached, the collection does not exist, or this version cannot read
    #   it. Every method raises it for the same reasons
    # @raise [ConfigurationError] the gem pg is not installed
    def initialize(connection, collection: "hybrid_search", bm25: "okapi", kernels: nil, migrate: true, timeout: 30.0,
                   connections: 4, dense: "exact", memory: 256, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @collection = checked_name(collection)
      memory = Base::Validation.integer("memory", memory, 0) * MEGABYTE
      @approximate = Base::Validation.choice("dense", dense, DENSE) == "hnsw"
      documents = Base::Kernels.kernel("postgres_documents", kernels)
      super(documents.new(Stores::Snapshot::Bm25.of(bm25), [@approximate, memory]))
      @database = Stores::Postgres::PostgresDatabase.new(
        checked_connection(connection),
        @collection,
        Base::Validation.boolean("migrate", migrate),
        Base::Validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
        Base::Validation.integer("connections", connections, 1),
        @approximate
      )
    end

    # Close the store's own connections; all other methods then raise {DocStoreError}.
    #
    # @return [void]
    def close
      @database.close
    end

    # @see DocStoreAdapter#states_generation?
    def states_generation?
      true
    end

    # @see DocStoreAdapter#exact_dense?
    def exact_dense?
      !@approximate
    end

    # Create an HNSW index of a vector field for searches with `dense: "hnsw"` (PG-6); batches wait for it.
    #
    # @param field [String] a field with stored vectors of at most 2,000 components
    # @param m [Integer] the number of neighbours to which a vector is linked on each level, 2 to 100
    # @param ef_construction [Integer] the number of candidates that are explored for each vector, 2·m to 1,000
    # @return [void]
    # @raise [InvalidInputError] the field does not exist, or a number is outside its range
    def build_index(field, m: 16, ef_construction: 64)
      dimension = Stores::Documents::StoredDocument.vector_dimension("field", Base::Validation.text("field", field))
      if dimension > MOST_INDEXED
        raise Base::Validation.failure("field", field, "a vector field of at most #{MOST_INDEXED} components")
      end

      links = Base::Validation.integer("m", m, 2, 100)
      explored = Base::Validation.integer("ef_construction", ef_construction, 2 * links, 1000)
      row = reading { |tables| tables.fields[field] }
      raise Base::Validation.failure("field", field, "a field of which vectors are stored") if row.nil?

      @database.make_approximate(row.field, dimension, links, explored)
    end

    # Remove the collection with all its documents permanently, and close the store.
    #
    # The schema stays if it contains other objects, or if another role owns it.
    #
    # @return [void]
    def drop
      @database.drop
    end

    private

    def inspected
      { collection: @collection }
    end

    def checked_name(collection)
      name = Base::Validation.text("collection", collection)
      if name.empty? || name.include?("\0") || name.bytesize > LONGEST_NAME
        raise Base::Validation.failure("collection", name, "a name of 1 to #{LONGEST_NAME} bytes without U+0000")
      end
      return name unless OTHERS.include?(name) || name.start_with?("pg_")

      what = "a schema of its own, not public, information_schema or one of pg_…"
      raise Base::Validation.failure("collection", name, what)
    end

    def checked_connection(connection)
      return Base::Validation.text("connection", connection) if connection.is_a?(::String)

      is_pool = connection.respond_to?(:checkout) && connection.respond_to?(:checkin)
      return connection if is_pool || connection.respond_to?(:exec_params)

      raise InvalidInputError, "connection must be a URL, a connection of pg or a pool of such"
    end

    def reading(&)
      @database.reading(&)
    end

    def writing(&)
      @database.writing(&)
    end

    def numbers_in_batch(tables, identifiers)
      tables.numbers_in_batch(identifiers)
    end

    def writer(tables)
      Stores::Postgres::PostgresWriter.new(tables)
    end

    def counted_vectors(tables)
      @approximate ? {} : tables.vector_counts
    end

    def vector_facts(tables)
      -> { Stores::VectorModels.described(tables.vector_counts, tables.sources, tables.count) }
    end
  end
end
