# frozen_string_literal: true

module HybridSearch
  # Answers questions from a store, page by page: recall, rerank, filter, paginate (RET-1 … RET-9).
  #
  # Stateless between calls, and safe to share between threads as far as its store, its embedding and its rerank model
  # are.
  class Retriever
    include Base::ShortInspect

    # Every option that a retriever takes.
    OPTIONS = Retrievers::RetrieverSettings::OPTIONS

    # @param store [DocStoreAdapter] the documents
    # @param query_builder [QueryBuilder] makes text queries and provides the tokenizer
    # @param embedding [Embedding, #call, nil] makes query vectors; without one only the text leg runs
    # @param max_page_size [Integer] the largest accepted page size, at least 1
    # @param kernels [String, nil] "plain" or "fast", for the reranker; see {Base::Kernels.choice}
    # @param any_vectors [Boolean] whether to accept a store all of whose vectors have another dimension than the
    #   embedding's
    # @param observer [Base::Observation, #instrument, #call, nil] receives each event (OBS-1), see
    #   {Base::Observation#initialize}
    # @param options [Hash] defaults of {#retrieve}, see {Retrievers::RetrievalOptions}
    def initialize(store, query_builder, embedding = nil, max_page_size: 1024, kernels: nil, any_vectors: false,
                   observer: HybridSearch.observer, **options)
      Base::Validation.known("option", options.keys, OPTIONS)
      @observation = Base::Observation.of(observer)
      @store = Stores::StoreArgument.accept("store", store)
      Base::ObjectChecks.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
      embedding = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      @settings = Retrievers::RetrieverSettings.new(max_page_size, options)
      Base::Validation.boolean("any_vectors", any_vectors)
      @ranker = Retrievers::Ranker.new(store, query_builder, kernels, @observation)
      @query_builder = query_builder
      request("", {})
      @recall = Retrievers::Recall.new(store, query_builder, embedding, @observation, any_vectors:)
      freeze
    end

    # Return one page of hits.
    #
    # @param question [String] the text to search for. A blank one has an empty result (RET-6), unless `match_all` is
    #   true. Its length is at most {QueryBuilder#max_question_length}, in code points
    # @param options [Hash] see {Retrievers::RetrievalOptions}
    # @return [RetrievalResult]
    # @raise [InvalidInputError] an option that is unknown or not accepted, or a question that is too long
    # @raise [EmbeddingError] the embedding failed
    # @raise [RerankError] the rerank model failed and `fail_open` is false
    def retrieve(question = "", **options)
      @observation.measure("search") do |event|
        retrieved(question, options).tap do |result|
          event.update(page: result.page, total: result.total, shown: result.chunks.size)
        end
      end
    end

    # Yield all pages from `page` on, up to the last: the same pages that {#retrieve} returns one by one.
    #
    # Recall runs once and each block is reranked once, so a whole walk costs little more than its first page. With
    # `match_all`, documents are read block by block.
    #
    # @return [Enumerator<RetrievalResult>] when no block is given
    def each_page(question = "", **options, &block)
      request = request(question, options)
      return Enumerator.new { |pages| pages(request) { |page| pages << page } } unless block

      pages(request, &block)
    end

    private

    def retrieved(question, options)
      started = clock
      request = request(question, options)
      return empty(request, started) if request.blank?

      candidates = @recall.candidates(request)
      page(request, candidates, paging(request, candidates), started, 0.0)
    end

    def pages(request)
      started = clock
      return yield(empty(request, started)) if request.blank?

      candidates = @recall.candidates(request)
      candidates.fetch_all unless request.match_all
      paging = paging(request, candidates)
      recalled_before = 0.0
      loop do
        shown = page(request, candidates, paging, started, recalled_before)
        yield shown
        break unless shown.has_more

        request = request.on_page(request.page + 1)
        started = clock
        recalled_before = candidates.seconds
      end
    end

    def paging(request, candidates)
      rank = ->(recalled, first) { @ranker.rank(request, recalled, first) }
      return Retrievers::WindowPages.new(candidates, rank) if request.match_all || !request.full_pages

      of_store = @store.fuses_scores?
      passes_all = request.passes_all? && !(of_store && request.threshold?)
      asks_model = !request.rerank_model.nil? && !request.fused? && !of_store
      ranks_all = request.exact_total || !(passes_all || asks_model)
      Retrievers::FullPages.new(candidates, rank, ranks_all, passes_all)
    end

    def request(question, options)
      accepted = @query_builder.accept_question(question)
      request = @settings.request(accepted, options, @store.supports_bm25f?)
      request.check_store(@store.supports_bm25f?)
      request
    end

    def window(request)
      Retrievers::Window.of(request.page, request.page_size, request.topk, !request.rerank_model.nil?)
    end

    # Return the page of a request. `started` is the time of the start, on the monotonic clock, and `recalled_before`
    # the seconds of recall before that.
    def page(request, candidates, paging, started, recalled_before)
      window = window(request)
      entries = paging.page(window)
      warnings = entries.ranked.warnings
      warnings += Retrievers::FilterWarnings.warnings(@store, request.filters) if candidates.total.zero?
      recall = candidates.seconds - recalled_before
      rerank = clock - started - recall
      RetrievalResult.new(
        total: entries.total,
        window_total: entries.window_total,
        chunks: entries.shown.map { |entry| entry.chunk(request.highlight) },
        doc_aggs: request.aggs ? entries.ranked.document_counts : [],
        page: request.page,
        has_more: entries.has_more,
        timings: timings(recall, rerank, started),
        warnings: [*candidates.warnings, *warnings],
        explain: request.explain ? Retrievers::Explain.explanation(request, candidates.latest, entries, window) : nil,
        page_size: request.page_size,
        total_is_lower_bound: entries.total_is_lower_bound,
        total_is_upper_bound: entries.total_is_upper_bound,
        full_pages: request.full_pages,
        facets: Retrievers::Facets.facets(request, counts(request, candidates, entries))
      )
    end

    # Return the counts of the facets, over the same entries as the total.
    def counts(request, candidates, entries)
      return candidates.latest.result.aggs if request.facets.nil? || entries.counted.nil?

      Retrievers::Facets.counts(request, entries.counted.map(&:fields))
    end

    # Return milliseconds, from seconds and the time of the start.
    def timings(recall, rerank, started)
      { "recall" => recall * 1000.0, "rerank" => rerank * 1000.0, "total" => (clock - started) * 1000.0 }
    end

    def empty(request, started)
      RetrievalResult.new(
        total: 0, window_total: 0, chunks: [], doc_aggs: [], page: request.page, has_more: false,
        timings: timings(0.0, 0.0, started), page_size: request.page_size, full_pages: request.full_pages,
        facets: Retrievers::Facets.facets(request, {})
      )
    end

    def clock
      Retrievers::FetchedCandidates.clock
    end
  end
end
