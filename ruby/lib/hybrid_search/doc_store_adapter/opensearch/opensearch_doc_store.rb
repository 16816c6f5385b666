# frozen_string_literal: true

module HybridSearch
  # Documents in an OpenSearch cluster, found by its BM25 and its k-NN, fused and reranked by this library
  # (OS-1 … OS-5).
  #
  # What is shown of a document has the bits that every store gives: similarities are made from the stored values. Which
  # documents are candidates, and their scores before the rerank, are the engine's: its BM25 rounds lengths and counts
  # removed documents for a while, its neighbours are near ones. A document is written whole or not at all; a batch is
  # not: a {DocStoreError} tells how much of it is written.
  #
  #   store = HybridSearch::OpenSearchDocStore.new("http://127.0.0.1:9200", "handbook")
  class OpenSearchDocStore < Stores::CheckedStore
    OPTIONS = %w[url index user password ca_file shards replicas refresh timeout partial_answers dense max_clauses
                 transport timing].freeze
    REFRESH = %w[true wait_for false].freeze
    PARTIAL_ANSWERS = %w[error warning].freeze
    DENSE = %w[approximate exact].freeze
    LONGEST_TIMEOUT = 86_400.0
    MOST_SHARDS = 1_024
    # How often documents are fetched where some were removed after they had been found.
    MOST_ATTEMPTS = 3
    private_constant :OPTIONS, :REFRESH, :PARTIAL_ANSWERS, :DENSE, :LONGEST_TIMEOUT, :MOST_SHARDS, :MOST_ATTEMPTS

    # A store that reads an index which RAGFlow made; its vectors must be those of the engine lucene.
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

    # @param url [String, Array<String>] the address of a node, or of several
    # @param index [String] the name by which the index is asked, an alias; it is made where there is none
    # @param user [String, nil] who asks; nil: nobody in particular
    # @param password [#call, nil] gives the password of the user
    # @param ca_file [String, nil] a file of the certificates of the authorities to trust; nil: the system's
    # @param shards [Integer] into how many parts a new index is cut
    # @param replicas [Integer] how many copies of each part a new index has beside the first
    # @param refresh [String] "true": what is written is found at once; "wait_for": writing waits until it is; "false":
    #   it is found later, mostly within a second
    # @param timeout [Float] how many seconds a request may take, with all attempts and pauses
    # @param partial_answers [String] "error", or "warning": whether answers without some of the documents, after a
    #   second attempt, are a {DocStoreError} or a line of the log
    # @param dense [String] "approximate" or "exact": whether all vectors are compared
    # @param max_clauses [Integer] how many clauses a query may have; a new index has the cluster allow so many, else
    #   the clauses of the lowest boosts are left out, with a warning
    # @param transport [#request, nil] sends requests in the place of net/http: `request(method, path, body, timeout)`
    # @param timing [Client::Timing, nil] clocks, sleep and chance, for tests
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [DocStoreError] the cluster does not answer, or the index is not one that this library made
    def initialize(url, index, user: nil, password: nil, ca_file: nil, shards: 1, replicas: 1, refresh: "true",
                   timeout: 30.0, partial_answers: "error", dense: "approximate", max_clauses: 16_384,
                   transport: nil, timing: nil, **unknown)
      super()
      Base::Validation.known("option", unknown.keys, OPTIONS)
      urls = checked_urls(url)
      shards = Base::Validation.integer("shards", shards, 1, MOST_SHARDS)
      replicas = Base::Validation.integer("replicas", replicas, 0, MOST_SHARDS)
      refresh = Base::Validation.choice("refresh", refresh, REFRESH)
      seconds = Base::Validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT)
      tolerant = Base::Validation.choice("partial_answers", partial_answers, PARTIAL_ANSWERS) == "warning"
      @exact = Base::Validation.choice("dense", dense, DENSE) == "exact"
      @max_clauses = Base::Validation.integer("max_clauses", max_clauses, 1)
      transport ||= Stores::OpenSearch::OpenSearchTransport.new(urls, user, password, ca_file)
      @client = Stores::OpenSearch::OpenSearchClient.new(
        transport, "OpenSearch at #{Client::Endpoint.new("url", urls[0]).shown}", seconds, tolerant,
        timing || Client::Timing.new
      )
      @index = Stores::OpenSearch::OpenSearchIndex.new(@client, index, layout)
      @index.opened(shards, replicas, @max_clauses)
      @reader = reader_of(@index.path)
      @writer = Stores::OpenSearch::OpenSearchWriter.new(@client, @index.path, @reader, layout, refresh)
    end

    # @see DocStoreAdapter#exact_dense?
    def exact_dense?
      false
    end

    # @see DocStoreAdapter#atomic_batches?
    def atomic_batches?
      false
    end

    # @see DocStoreAdapter#history_free?
    def history_free?
      false
    end

    # All documents are checked first, yet a failure may leave some stored.
    #
    # @see DocStoreAdapter#insert
    def insert(documents)
      accepted = accepted(documents)
      accepted.empty? ? 0 : @writer.insert(accepted)
    end

    # All documents are checked first, yet a failure may leave some changed.
    #
    # @see DocStoreAdapter#update
    def update(documents)
      change(documents) { |accepted, stored| Stores::Documents::Batch.changes(accepted, &stored) }
    end

    # All documents are checked first, yet a failure may leave some stored.
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

    # A document is there as soon as it is written.
    #
    # @see DocStoreAdapter#get
    def get(identifier)
      wanted = possible([Base::Validation.text("identifier", identifier)])
      found = @reader.documents(wanted)[identifier] unless wanted.empty?
      found && found.document.fields.merge(found.document.vectors)
    end

    # @see DocStoreAdapter#count
    def count
      @reader.count
    end

    # @return [String] which index it is, and of each of its parts how many documents there are and the last operation
    #   on them
    def generation
      found = @index.opened(1, 1, @max_clauses)
      sequences = @reader.sequences(found.shards)
      [found.uuid, *sequences.map { |count, last| "#{count}-#{last}" }].join(".")
    end

    # `status` is the cluster's word for the index: "yellow" without its replicas.
    #
    # @see DocStoreAdapter#health
    def health
      told = @client.ask(Stores::OpenSearch::OpenSearchClient::Request.new("GET", "/_cluster/health#{@index.path}"))
      { "status" => told["status"], "documents" => count, "generation" => generation }
    end

    # A cluster that cannot be written counts nothing.
    #
    # @see DocStoreAdapter#vector_fields
    def vector_fields
      return nil if layout.read_only

      names = @reader.vector_fields.select { |name| name.start_with?("v_") }
      fields = names.map { |name| Stores::Documents::StoredFields.vector_field(name.delete_prefix("v_").to_i) }
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

    # Copy all documents into a new index, and take that one from then on.
    #
    # Searches go on all the while; what is written while the last changes are copied waits, at most `timeout`.
    #
    # @param shards [Integer, nil] into how many parts the new index is cut; nil: as many as before
    # @param replicas [Integer, nil] how many copies of each part it has; nil: as many as before
    # @return [String] the name of the new index
    # @raise [DocStoreError] it failed; the index before stays
    def reindex(shards: nil, replicas: nil)
      check_writable
      parts = shards.nil? ? nil : Base::Validation.integer("shards", shards, 1, MOST_SHARDS)
      copies = replicas.nil? ? nil : Base::Validation.integer("replicas", replicas, 0, MOST_SHARDS)
      @index.reindex(parts, copies) { |path| reader_of(path) }
    end

    private

    def inspected
      { index: @index.name }
    end

    def layout
      @layout ||= Stores::OpenSearch::OwnLayout.new
    end

    def find(wanted)
      plain = wanted.match.text.nil? && wanted.match.dense.nil? && wanted.order.empty? && wanted.agg_fields.empty?
      return result(wanted, {}) { |gone| listing(wanted, gone) } if plain

      ranking, aggs = arranged(wanted, ranking(wanted.match, wanted.filters))
      result(wanted, aggs) { |gone| cut(wanted, ranking, gone) }
    end

    # How many documents there are, and a page of them, without those that are gone.
    def listing(wanted, gone)
      total, identifiers = @reader.page(wanted.filters, wanted.offset, wanted.limit + gone.size)
      left = Base::Slices.part(identifiers - gone, 0, wanted.limit)
      [total - gone.size, left.map { |identifier| [identifier, 0.0] }]
    end

    # How many documents a ranking has, and a page of it, without those that are gone.
    def cut(wanted, ranking, gone)
      left = gone.empty? ? ranking : ranking.reject { |pair| gone.include?(pair[0]) }
      [left.size, Base::Slices.part(left, wanted.offset, wanted.limit)]
    end

    def ranking(match, filters)
      return @reader.listed(filters).map { |identifier| [identifier, 0.0] } if match.text.nil? && match.dense.nil?

      text, dense = @reader.legs(match, filters)
      return Fusion.fuse(match.fusion, [text, dense], normalizer: %w[min_max none]) if match.fusion

      match.text ? text : dense
    end

    # The ranking in the order that is wanted, and how often values are there.
    def arranged(wanted, ranking)
      return [ranking, {}] if wanted.order.empty? && wanted.agg_fields.empty?

      fields = @reader.documents(ranking.map(&:first), []).transform_values { |stored| stored.document.fields }
      found = ranking.select { |identifier, _| fields.key?(identifier) }
      ordered = wanted.order.arrange(found) { |path| found.map { |identifier, _| path.value(fields[identifier]) } }
      aggs = wanted.agg_fields.to_h do |field|
        path = Stores::Documents::FieldPath.of(field)
        [field, Stores::Queries::Aggregations.count(ordered.map { |identifier, _| path.value(fields[identifier]) })]
      end
      [ordered, aggs]
    end

    # The answer; where documents were removed after they had been found, others take their places. The block gives how
    # many are found, and a page of them, without some that are gone.
    def result(wanted, aggs, &)
      total, page, stored = fetched(wanted, &)
      kept = page.select { |identifier, _| stored.key?(identifier) }
      documents = kept.to_h { |identifier, _| [identifier, stored[identifier].document] }
      AdapterKit::SearchResult.new(
        total:,
        ids: documents.keys,
        fields: documents.transform_values { |document| select(document, wanted.selected) },
        scores: kept.to_h,
        query_vector: wanted.match.dense&.vector,
        highlight: highlights(documents, wanted.highlight_fields, Stores::Queries::Highlight.new(wanted.keywords)),
        aggs:,
        keywords: wanted.keywords
      )
    end

    def fetched(wanted)
      gone = []
      total = page = stored = nil
      MOST_ATTEMPTS.times do
        total, page = yield gone
        stored = stored(wanted, page.map(&:first))
        missing = page.map(&:first).reject { |identifier| stored.key?(identifier) }
        break if missing.empty?

        gone.concat(missing)
      end
      [total, page, stored]
    end

    def stored(wanted, identifiers)
      vectors = wanted.selected&.select { |name| name.end_with?("_vec") }
      identifiers.empty? ? {} : @reader.documents(identifiers, vectors)
    end

    def select(document, selected)
      everything = document.fields.merge(document.vectors)
      selected ? everything.slice(*selected) : everything
    end

    def highlights(documents, fields, highlight)
      documents.each_with_object({}) do |(identifier, document), marked|
        values = fields.map { |field| document.fields[field] }.grep(::String)
        found = values.lazy.filter_map { |value| highlight.mark(value) }.first
        marked[identifier] = found if found
      end
    end

    def change(documents, &)
      accepted = accepted(documents)
      accepted.empty? ? 0 : @writer.change(accepted, &)
    end

    def accepted(documents)
      accepted = Stores::Documents::Batch.accept(documents)
      check_writable
      layout.accept(accepted)
      accepted
    end

    def check_writable
      raise DocStoreError, "an index that RAGFlow made can only be read" if layout.read_only
    end

    # The number of documents that have a field.
    def held(field)
      @reader.page(AdapterKit::Filters.new({ field => { "exists" => true } }), 0, 0)[0]
    end

    def reader_of(path)
      Stores::OpenSearch::OpenSearchReader.new(@client, path, layout, @exact) { most_clauses }
    end

    def most_clauses
      @most_clauses ||= @index.most_clauses(@max_clauses)
    end

    def checked_urls(url)
      urls = url.is_a?(::String) ? [url] : Base::Validation.texts("url", url)
      raise Base::Validation.failure("url", urls, "the address of a node, or a list of them") if urls.empty?

      urls.each_with_index { |one, place| Client::Endpoint.new(url.is_a?(::String) ? "url" : "url[#{place}]", one) }
      urls
    end

    # The ids that an index can hold, each once.
    def possible(identifiers)
      identifiers.uniq.select { |one| one.bytesize.between?(1, Stores::OpenSearch::OwnLayout::LONGEST_IDENTIFIER) }
    end

    # A store that reads an index which RAGFlow made.
    class RagflowIndex < OpenSearchDocStore
      private

      def layout
        @layout ||= Stores::OpenSearch::RagflowLayout.new
      end
    end
    private_constant :RagflowIndex
  end
end
