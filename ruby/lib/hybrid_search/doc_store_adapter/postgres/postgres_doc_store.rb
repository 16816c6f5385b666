# frozen_string_literal: true

module HybridSearch
  # Documents in PostgreSQL with pgvector, which both languages read and write (PG-1 … PG-6); scores and order are those
  # of a {MemoryDocStore}, bit for bit. Needs the gem pg.
  #
  # A batch is one transaction. Each search sees one state. Any number of processes of either language read and write;
  # writers of a collection take turns. Safe to use from several threads, and in a forked child.
  #
  #   HybridSearch::PostgresDocStore.open("postgresql://localhost/library", collection: "handbook") do |store|
  #     puts store.count
  #   end
  class PostgresDocStore < Stores::Tables::TableStore
    OPTIONS = %w[connection collection bm25 kernels migrate timeout connections dense].freeze
    DENSE = %w[exact hnsw].freeze
    LONGEST_TIMEOUT = 86_400.0
    # How many bytes of UTF-8 PostgreSQL keeps of a name.
    LONGEST_NAME = 63
    # Schemas that every database has.
    OTHERS = %w[public information_schema].freeze
    # How many components pgvector's indexes take.
    MOST_INDEXED = 2000
    private_constant :OTHERS, :OPTIONS, :DENSE, :LONGEST_TIMEOUT, :LONGEST_NAME, :MOST_INDEXED

    # @return [String] the name of the schema that holds the documents
    attr_reader :collection

    # A store that is closed after the block, or one to close.
    #
    # @param connection [String, PG::Connection, #checkout] see {#initialize}
    # @param options [Hash] see {#initialize}
    # @yieldparam store [PostgresDocStore]
    # @return [PostgresDocStore, Object] the store, or what the block gives
    def self.open(connection, **options)
      store = new(connection, **options)
      return store unless block_given?

      begin
        yield store
      ensure
        store.close
      end
    end

    # @param connection [String, PG::Connection, #checkout] a URL or other text that tells libpq how to connect, a
    #   connection, or a pool of such with `checkout` and `checkin`, as a ConnectionPool is, or that of ActiveRecord.
    #   What is given as an object stays open
    # @param collection [String] the name of the schema that holds the documents
    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @param kernels [String, nil] "plain" or "fast", see {Base::Kernels.choice}
    # @param migrate [Boolean] whether the collection is made where there is none
    # @param timeout [Float] for how many seconds a statement may take, and a connection may be waited for
    # @param connections [Integer] how many connections are made at the most, where a text was given
    # @param dense [String] "exact", or "hnsw": the nearest are taken from an index that {#build_index} has made (PG-6)
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [DocStoreError] there is no connection or no collection, or this version cannot read it; likewise from
    #   every method
    # @raise [ConfigurationError] the gem pg is not installed
    def initialize(connection, collection: "hybrid_search", bm25: "okapi", kernels: nil, migrate: true, timeout: 30.0,
                   connections: 4, dense: "exact", **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @collection = checked_name(collection)
      @approximate = Base::Validation.choice("dense", dense, DENSE) == "hnsw"
      super(Base::Kernels.kernel("postgres_documents", kernels).new(Stores::Snapshot::Bm25.of(bm25), @approximate))
      @database = Stores::Postgres::PostgresDatabase.new(
        checked_connection(connection),
        @collection,
        Base::Validation.boolean("migrate", migrate),
        Base::Validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
        Base::Validation.integer("connections", connections, 1),
        @approximate
      )
    end

    # Close the store's own connections; every other method then is a {DocStoreError}.
    #
    # @return [void]
    def close
      @database.close
    end

    # @see DocStoreAdapter#exact_dense?
    def exact_dense?
      !@approximate
    end

    # Make an HNSW index of a vector field, for searches with `dense: "hnsw"` (PG-6); batches wait for it.
    #
    # @param field [String] a field of which vectors are stored, of at most 2,000 components
    # @param m [Integer] how many neighbours a vector is linked with on each level
    # @param ef_construction [Integer] how many candidates are explored for each
    # @return [void]
    # @raise [InvalidInputError] no such field, or a number that pgvector does not take
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

    # Remove the collection with all its documents, for ever, and close the store. The schema stays if it
    # contains other objects, or if another role owns it.
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
  end
end
