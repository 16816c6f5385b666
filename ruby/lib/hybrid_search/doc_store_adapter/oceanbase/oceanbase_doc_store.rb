# frozen_string_literal: true

module HybridSearch
  # Documents in OceanBase, over MySQL's protocol, which both languages read and write (OB-1 … OB-4): the engine finds
  # candidates, this library scores them. The store needs the gem mysql2.
  #
  # A batch is one transaction, and each search sees one state. A candidate has the same scores as in a
  # {MemoryDocStore}, bit for bit; of very many matching documents, the engine chooses the candidates of the text leg.
  # Any number of processes in either language may read and write; the writers of a collection take turns.
  #
  #   HybridSearch::OceanBaseDocStore.open("oceanbase://root@127.0.0.1:2881/test", collection: "handbook") do |store|
  #     puts store.count
  #   end
  class OceanBaseDocStore < Stores::Tables::TableStore
    OPTIONS = %w[url collection user password ca_file migrate timeout connections dense].freeze
    DENSE = %w[exact hnsw].freeze
    LONGEST_TIMEOUT = 86_400.0
    NAME = /\A[a-z][a-z0-9_]{0,39}\z/
    # The maximum number of components of a vector in an index of approximate neighbours.
    INDEXED_COMPONENTS = 4_096
    private_constant :OPTIONS, :DENSE, :LONGEST_TIMEOUT, :NAME, :INDEXED_COMPONENTS

    # @return [String] the name with which the names of the tables begin
    attr_reader :collection

    # Open a store and close it after the block; without a block, return it open.
    #
    # @param url [String] see {#initialize}
    # @param options [Hash] see {#initialize}
    # @yieldparam store [OceanBaseDocStore]
    # @return [OceanBaseDocStore, Object] the store, or the result of the block
    def self.open(url, **options)
      store = new(url, **options)
      return store unless block_given?

      begin
        yield store
      ensure
        store.close
      end
    end

    # @param url [String] `oceanbase://user:password@host:port/database` or the same with `mysql://`; `?ssl_ca=FILE` is
    #   the same as `ca_file`
    # @param collection [String] the name with which the names of the tables begin
    # @param user [String, nil] the name of the user, instead of the one in the URL
    # @param password [#call, nil] a callable that returns the password, instead of the one in the URL
    # @param ca_file [String, nil] a file with the certificates of trusted authorities; the connections then use TLS
    # @param migrate [Boolean] whether a missing collection is created
    # @param timeout [Float] the maximum number of seconds for a statement, and for waiting for a connection
    # @param connections [Integer] the maximum number of connections
    # @param dense [String] "exact", or "hnsw" to find the nearest vectors with an index made by {#build_index}
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [DocStoreError] the server cannot be reached, the collection does not exist, or this version cannot read
    #   it. Every method raises it for the same reasons
    # @raise [ConfigurationError] the gem mysql2 is not installed
    def initialize(url, collection: "hybrid_search", user: nil, password: nil, ca_file: nil, migrate: true,
                   timeout: 30.0, connections: 4, dense: "exact", **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @collection = checked_name(collection)
      @approximate = Base::Validation.choice("dense", dense, DENSE) == "hnsw"
      super(Stores::OceanBase::OceanBaseDocuments.new(@approximate))
      @database = Stores::OceanBase::OceanBaseDatabase.new(
        Stores::OceanBase::OceanBaseAddress.new(url, user, password, ca_file),
        @collection,
        Base::Validation.boolean("migrate", migrate),
        Base::Validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
        Base::Validation.integer("connections", connections, 1)
      )
    end

    # Close the connections; all other methods then raise {DocStoreError}.
    #
    # @return [void]
    def close
      @database.close
    end

    # Return false: of very many matching documents, the engine chooses the candidates.
    #
    # @see DocStoreAdapter#exact_text?
    def exact_text?
      false
    end

    # @see DocStoreAdapter#supports_bm25f?
    def supports_bm25f?
      true
    end

    # @see DocStoreAdapter#states_generation?
    def states_generation?
      true
    end

    # @see DocStoreAdapter#exact_dense?
    def exact_dense?
      !@approximate
    end

    # Create an HNSW index of a vector field for searches with `dense: "hnsw"`; batches wait for it.
    #
    # @param field [String] a field with stored vectors of at most 4,096 components
    # @param m [Integer] the number of neighbours to which a vector is linked on each level, 5 to 64
    # @param ef_construction [Integer] the number of candidates that are explored for each vector, 2·m to 1,000
    # @return [void]
    # @raise [InvalidInputError] the field does not exist, or a number is outside its range
    def build_index(field, m: 16, ef_construction: 64)
      dimension = Stores::Documents::StoredDocument.vector_dimension("field", Base::Validation.text("field", field))
      if dimension > INDEXED_COMPONENTS
        raise Base::Validation.failure("field", field, "a vector field of at most #{INDEXED_COMPONENTS} components")
      end

      links = Base::Validation.integer("m", m, 5, 64)
      explored = Base::Validation.integer("ef_construction", ef_construction, 2 * links, 1000)
      unless reading { |tables| tables.holds_vectors?(field) }
        raise Base::Validation.failure("field", field, "a field of which vectors are stored")
      end

      @database.make_approximate(dimension, links, explored)
    end

    # Remove the collection with all its documents permanently, and close the store.
    #
    # @return [void]
    def drop
      @database.drop
    end

    # Add or replace documents and remove others, in one batch, for {Generations}.
    #
    # @api private
    # @see Stores::Tables::TableStore#exchange
    def exchange(documents, identifiers)
      prepare(Stores::Documents::Batch.accept(documents))
      super
    end

    private

    def inspected
      { collection: @collection }
    end

    def checked_name(collection)
      name = Base::Validation.text("collection", collection)
      return name if NAME.match?(name)

      what = "1 to 40 lower-case letters, digits and _, beginning with a letter"
      raise Base::Validation.failure("collection", name, what)
    end

    def change(documents)
      prepare(Stores::Documents::Batch.accept(documents))
      super
    end

    # Create the tables that the vectors of documents need; this cannot be a part of a transaction.
    def prepare(accepted)
      fields = accepted.flat_map { |document| document.vectors.keys }.uniq
      dimensions = fields.map { |field| Stores::Documents::StoredDocument.vector_dimension("field", field) }
      @database.prepare(dimensions)
    end

    def reading(&)
      @database.reading(&)
    end

    def writing(&)
      @database.writing(&)
    end

    def writer(tables)
      Stores::OceanBase::OceanBaseWriter.new(tables)
    end

    def counted_vectors(tables)
      @approximate ? {} : tables.vector_counts
    end
  end
end
