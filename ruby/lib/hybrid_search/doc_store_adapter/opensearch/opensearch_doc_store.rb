# frozen_string_literal: true

module HybridSearch
  # Documents in an OpenSearch cluster, found by its BM25 and its k-NN, fused and reranked by this library
  # (OS-1 … OS-8).
  #
  # Similarities after the rerank are computed from the stored values, so that they have the same bits as in every
  # store. The candidates and their scores before the rerank are the engine's: its BM25 rounds lengths and counts
  # removed documents for a while, and its nearest neighbours are approximate. A document is written as a whole or not
  # at all. A batch may be written in part: the {DocStoreError} states the number of written documents.
  #
  #   store = HybridSearch::OpenSearchDocStore.new("http://127.0.0.1:9200", "handbook")
  class OpenSearchDocStore < Stores::EngineStore
    OPTIONS = %w[url index user password api_key ca_file client_certificate client_key create shards replicas refresh
                 timeout partial_answers dense max_clauses transport timing].freeze
    REFRESH = %w[true wait_for false].freeze
    PARTIAL_ANSWERS = %w[error warning].freeze
    DENSE = %w[approximate exact].freeze
    LONGEST_TIMEOUT = 86_400.0
    MOST_SHARDS = 1_024
    private_constant :OPTIONS, :REFRESH, :PARTIAL_ANSWERS, :DENSE, :LONGEST_TIMEOUT, :MOST_SHARDS

    # Return a store that reads an index made by RAGFlow, whose vectors must use the engine lucene.
    #
    # @param url [String, Array<String>] as for a store
    # @param index [String] the name of the index
    # @param options [Hash] as for a store; nothing is written
    # @return [OpenSearchDocStore]
    def self.ragflow_index(url, index, **options)
      RagflowIndex.new(url, index, **options)
    end

    # @param url [String, Array<String>] as for {#initialize}
    # @param index [String] as for {#initialize}
    # @param options [Hash] see {#initialize}
    # @return [OpenSearchDocStore] a store of an index
    def self.open(url, index, **options)
      new(url, index, **options)
    end

    # @param url [String, Array<String>] the address of a node, or of several nodes
    # @param index [String] the alias of the index; a missing index is created
    # @param user [String, nil] the name of the user; nil for no authentication
    # @param password [#call, nil] returns the password of the user
    # @param api_key [String, #call, nil] an API key instead of a user, in the form of its header, or a callable that
    #   returns it
    # @param ca_file [String, nil] a file with the certificates of trusted authorities; nil for those of the system
    # @param client_certificate [String, nil] a file with the certificate by which the cluster recognizes this program
    # @param client_key [String, nil] a file with the key of that certificate; nil if `client_certificate` contains it
    # @param create [Boolean] whether a missing index is created; otherwise it is an error
    # @param shards [Integer] the number of shards of a new index
    # @param replicas [Integer] the number of replicas of each shard of a new index
    # @param refresh [String] "true": searches find written documents at once; "wait_for": a write waits until searches
    #   find them; "false": searches find them later, usually within a second
    # @param timeout [Float] the maximum number of seconds for a request, with all attempts and pauses
    # @param partial_answers [String] "error" or "warning": whether a response without some of the documents, after a
    #   second attempt, raises a {DocStoreError} or writes a log line
    # @param dense [String] "approximate" or "exact": whether a dense leg uses the graph or compares all vectors
    # @param max_clauses [Integer] the maximum number of clauses of a query. A new index raises the cluster's limit to
    #   this number; if that fails, the clauses with the lowest boosts are omitted with a warning
    # @param transport [#request, nil] sends requests instead of net/http: `request(method, path, body, timeout)`
    # @param timing [Client::Timing, nil] the clock, the sleep function and the random numbers, for tests
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [DocStoreError] the cluster does not respond, or the index was not made by this library
    def initialize(url, index, user: nil, password: nil, api_key: nil, ca_file: nil, client_certificate: nil,
                   client_key: nil, create: true, shards: 1, replicas: 1, refresh: "true", timeout: 30.0,
                   partial_answers: "error", dense: "approximate", max_clauses: 16_384, transport: nil, timing: nil,
                   **unknown)
      super()
      Base::Validation.known("option", unknown.keys, OPTIONS)
      urls = Stores::OpenSearch::OpenSearchAddresses.accepted(url)
      shards = Base::Validation.integer("shards", shards, 1, MOST_SHARDS)
      replicas = Base::Validation.integer("replicas", replicas, 0, MOST_SHARDS)
      refresh = Base::Validation.choice("refresh", refresh, REFRESH)
      seconds = Base::Validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT)
      tolerant = Base::Validation.choice("partial_answers", partial_answers, PARTIAL_ANSWERS) == "warning"
      @exact = Base::Validation.choice("dense", dense, DENSE) == "exact"
      @max_clauses = Base::Validation.integer("max_clauses", max_clauses, 1)
      addresses = transport ? 1 : urls.size
      transport ||= Stores::OpenSearch::OpenSearchTransport.new(
        urls, Stores::OpenSearch::OpenSearchAccess.new(user:, password:, api_key:, ca_file:, client_certificate:,
                                                       client_key:)
      )
      @client = Stores::OpenSearch::OpenSearchClient.new(
        transport, "OpenSearch at #{Client::Endpoint.new("url", urls[0]).shown}", seconds, tolerant,
        timing || Client::Timing.new, addresses
      )
      @index = Stores::OpenSearch::OpenSearchIndex.new(@client, index, layout)
      Base::Validation.boolean("create", create) ? @index.opened(shards, replicas, @max_clauses) : @index.existing
      @reader = reader_of(@index.path)
      @writer = Stores::OpenSearch::OpenSearchWriter.new(@client, @index.path, @reader, layout, refresh)
    end

    # Return false: the engine computes cosines of 32-bit floats.
    #
    # @see DocStoreAdapter#exact_dense?
    def exact_dense?
      false
    end

    # Return false: each document is written as a whole or not at all, but not a batch.
    #
    # @see DocStoreAdapter#atomic_batches?
    def atomic_batches?
      false
    end

    # Return false: the engine counts removed documents until it merges segments.
    #
    # @see DocStoreAdapter#history_free?
    def history_free?
      false
    end

    # Check all documents first, then store them; a failure may leave some stored.
    #
    # @see DocStoreAdapter#insert
    def insert(documents)
      accepted = accepted(documents)
      accepted.empty? ? 0 : @writer.insert(accepted)
    end

    # Check all documents first, then change them; a failure may leave some changed.
    #
    # @see DocStoreAdapter#update
    def update(documents)
      change(documents) { |accepted, stored| Stores::Documents::Batch.changes(accepted, &stored) }
    end

    # Check all documents first, then store them; a failure may leave some stored.
    #
    # @see DocStoreAdapter#upsert
    def upsert(documents)
      change(documents) { |accepted, stored| Stores::Documents::Batch.replacements(accepted, &stored) }
    end

    # @see DocStoreAdapter#delete
    def delete(identifiers)
      checked = Base::Validation.texts("identifiers", identifiers)
      check_writable
      @writer.delete(possible(checked))
    end

    # @see DocStoreAdapter#count
    def count
      @reader.count
    end

    # @return [String] the identity of the index, and for each shard the number of documents and of the last operation
    #   on them
    def generation
      @reader.generations.read.text
    end

    # Return whether a search can recognize the index, as it can once the generation has been read.
    #
    # @see DocStoreAdapter#states_generation?
    def states_generation?
      @reader.generations.known?
    end

    # Return the health of the store; `status` is that of the index in the cluster, "yellow" without its replicas.
    #
    # @see DocStoreAdapter#health
    def health
      generation = self.generation # asked first, since a cluster waits long for the health of a missing index
      told = @client.ask(Stores::OpenSearch::OpenSearchClient::Request.new("GET", "/_cluster/health#{@index.path}"))
      { "status" => told["status"], "documents" => count, "generation" => generation }
    end

    # Return the facts about vectors; nil for a read-only store, which does not count them.
    #
    # @see DocStoreAdapter#vector_fields
    def vector_fields
      return nil if layout.read_only

      names = @reader.vector_fields.select { |name| name.start_with?("v_") }
      sizes = names.map { |name| name.delete_prefix("v_").to_i }.sort
      fields = sizes.map { |size| Stores::Documents::StoredFields.vector_field(size) }
      Stores::VectorModels.described(fields.to_h { |field| [field, held(field)] }, @index.sources, @reader.count)
    end

    # @see DocStoreAdapter#keep_vector_model
    def keep_vector_model(field, model, origin = "index")
      check_writable
      sources = @index.sources
      kept = Stores::VectorModels.keep(sources, field, model, origin) { |name| held(name).positive? }
      @index.keep_sources({ **sources, field => kept }) if kept
      nil
    end

    # Copy all documents into a new index, and use that one from then on.
    #
    # Searches continue meanwhile. Writes wait while the last changes are copied, at most `timeout` seconds.
    #
    # @param shards [Integer, nil] the number of shards of the new index; nil for the same number as before
    # @param replicas [Integer, nil] the number of replicas of each shard; nil for the same number as before
    # @return [String] the name of the new index
    # @raise [DocStoreError] the copy failed; the previous index is still in use
    def reindex(shards: nil, replicas: nil)
      check_writable
      parts = shards.nil? ? nil : Base::Validation.integer("shards", shards, 1, MOST_SHARDS)
      copies = replicas.nil? ? nil : Base::Validation.integer("replicas", replicas, 0, MOST_SHARDS)
      @index.reindex(parts, copies) { |path| reader_of(path) }
    end

    # Remove the indexes that interrupted reindexes have left, and let the index in use take changes again.
    #
    # Do not call it during a reindex, which then fails; the previous index stays in use.
    #
    # @param dry_run [Boolean] whether to change nothing
    # @return [Array<String>] the names of the indexes
    def clean(dry_run: false)
      check_writable
      @index.clean(Base::Validation.boolean("dry_run", dry_run))
    end

    private

    def inspected
      { index: @index.name }
    end

    def layout
      @layout ||= Stores::OpenSearch::OwnLayout.new
    end

    def engine
      @reader
    end

    # Return the ids that an index can contain. An id that is too long for an index is not stored.
    def possible(identifiers)
      Stores::OpenSearch::OwnLayout.possible(identifiers)
    end

    # Return documents. If they have the fields of a rerank separately, only these are read (OS-11).
    def read(identifiers, needed)
      return super if needed.nil? || layout.read_only

      found = @reader.ranked.read(identifiers, needed)
      others = identifiers.reject { |identifier| found.key?(identifier) }
      others.empty? ? found : found.merge(super(others, needed))
    end

    def change(documents, &)
      accepted = accepted(documents)
      accepted.empty? ? 0 : @writer.change(accepted, &)
    end

    def accepted(documents)
      accepted = Stores::Documents::Batch.accept(documents)
      check_writable
      layout.accept(accepted, @client.engine)
      accepted
    end

    def check_writable
      raise DocStoreError, "an index that RAGFlow made can only be read" if layout.read_only
    end

    # Return the number of documents that have a field.
    def held(field)
      @reader.page(AdapterKit::Filters.new({ field => { "exists" => true } }), 0, 0)[0]
    end

    def reader_of(path)
      Stores::OpenSearch::OpenSearchReader.new(@client, path, layout, @exact, -> { @index.existing }) { most_clauses }
    end

    def most_clauses
      @most_clauses ||= @index.most_clauses(@max_clauses)
    end

    # A store that reads an index made by RAGFlow.
    class RagflowIndex < OpenSearchDocStore
      # Return false: RAGFlow's documents do not have whole identifiers.
      #
      # @see DocStoreAdapter#supports_bm25f?
      def supports_bm25f?
        false
      end

      private

      def layout
        @layout ||= Stores::OpenSearch::RagflowLayout.new
      end
    end
    private_constant :RagflowIndex
  end
end
