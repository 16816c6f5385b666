# frozen_string_literal: true

require "securerandom"
require "tmpdir"

module Conformance
  # The stores that operations fill: in memory; where `CONFORMANCE_STORE` is "sqlite", files; where it is "postgres",
  # collections of the database that `HYBRID_SEARCH_POSTGRES_URL` names; where it is "opensearch", indices of the
  # cluster that `HYBRID_SEARCH_OPENSEARCH_URL` names. What of their answers is compared, the harness tells.
  module Stores
    VARIABLE = "CONFORMANCE_STORE"
    ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
    NODES = "HYBRID_SEARCH_OPENSEARCH_URL"

    # The operations that a cluster is asked: those that ask a store.
    OF_CLUSTERS = %w[
      doc_store.bm25 doc_store.dense_leg doc_store.documents doc_store.filters doc_store.search doc_store.text_leg
      quality.load quality.rankings retriever.full_pages retriever.pages retriever.retrieve
    ].freeze

    # The operations that fill a store, and so may differ where it is a file.
    OF_FILES = %w[
      citations.cite doc_store.bm25 doc_store.bm25f_leg doc_store.dense_leg doc_store.documents doc_store.filters
      doc_store.search doc_store.text_leg http index.script kept.documents kept.rerank kept.service
      retrieval_service.heads retriever.full_pages retriever.pages retriever.retrieve search.damaged search.script
      search.shared_cache search.walk vector_models.indexes
    ].freeze

    # Where a file needs no disk, on Linux; the name of a folder there tells whose it is.
    MEMORY = "/dev/shm"
    MARK = ENV.fetch("HYBRID_SEARCH_CONFORMANCE_PROCESS", nil)
    IN_MEMORY = (File.writable?(MEMORY) ? [MARK, MEMORY] : [MARK]).freeze

    # After how many new stores those are removed that nobody can ask any more: there is little time at the end.
    REMOVED_AT_ONCE = 20

    @places = 0
    @names = []
    @forgotten = []

    module_function

    # @return [HybridSearch::DocStoreAdapter] an empty store; one in memory where options are to be refused, which are
    #   its own
    def store(**options)
      own = (options.keys - %i[bm25 kernels]).empty? ? ENV.fetch(VARIABLE, nil) : nil
      case own
      when "sqlite" then HybridSearch::SqliteDocStore.new(path, synchronous: "normal", **options)
      when "postgres" then collection(**options)
      when "opensearch" then index
      else HybridSearch::MemoryDocStore.new(**options)
      end
    end

    # @return [Hash] the options that give an `Index` such a store
    def of_index
      case ENV.fetch(VARIABLE, nil)
      when "sqlite" then { path: }
      when "postgres" then { store: collection }
      else {}
      end
    end

    # @return [Array<String>, nil] the operations that such a store can be asked for, nil: all
    def operations
      { "opensearch" => OF_CLUSTERS, "sqlite" => OF_FILES }[ENV.fetch(VARIABLE, nil)]
    end

    # @return [Boolean] whether such a store can be asked for an operation
    def asked?(operation)
      operations.nil? || operations.any? { |one| operation == one || operation.start_with?("#{one}.") }
    end

    # An empty collection.
    def collection(**options)
      name = "conformance_#{SecureRandom.hex(16)}"
      kept(name, HybridSearch::PostgresDocStore.new(connection, collection: name, **options))
    end

    # An empty index, which has not all that the other stores have.
    def index
      name = "conformance-#{SecureRandom.hex(16)}"
      kept(name, HybridSearch::OpenSearchDocStore.new(nodes, name, replicas: 0))
    end

    # A store that is removed once nobody can ask it any more.
    def kept(name, made)
      ObjectSpace.define_finalizer(made, forgetting(name))
      at_exit { @names.each_slice(REMOVED_AT_ONCE) { |names| remove(names) } } if @names.empty?
      @names << name
      remove_forgotten if (@names.size % REMOVED_AT_ONCE).zero?
      made
    end

    def forgetting(name)
      proc { @forgotten << name }
    end

    def remove_forgotten
      GC.start
      gone = @forgotten.slice!(0..)
      remove(gone)
      @names -= gone
    end

    # Collections by one statement, as each waits for the server's log, or indices.
    def remove(names)
      return if names.empty?
      return connection.exec("drop schema #{names.join(", ")} cascade") if ENV.fetch(VARIABLE) == "postgres"

      path = names.map { |name| "#{name}-000001" }.join(",")
      HybridSearch::Stores::OpenSearch::OpenSearchTransport.new(nodes).request(
        "DELETE", "/#{path}", nil, 60.0
      )
    end

    def nodes
      ENV.fetch(NODES).split(",")
    end

    # One for all collections, of which there are more than a server has connections.
    def connection
      @connection ||= begin
        require "pg"
        PG.connect(ENV.fetch(ADDRESS)).tap { |made| made.set_notice_processor { nil } }
      end
    end

    def path
      @folder ||= Dir.mktmpdir(*IN_MEMORY).tap { |folder| at_exit { FileUtils.remove_entry(folder) } }
      @places += 1
      File.join(@folder, "#{@places}.hsx")
    end
  end
end
