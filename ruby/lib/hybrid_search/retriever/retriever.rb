# frozen_string_literal: true

module HybridSearch
  # Recall, rerank, filter, paginate (RET-1 … RET-9); walks by cursor (CUR-1 … CUR-4): answers questions from a store,
  # page by page.
  #
  # A retriever holds no state between calls and may be used by several threads at once, as far as its store, its
  # embedding and its rerank model may.
  class Retriever
    include ShortInspect

    # Every option that a retriever takes.
    OPTIONS = Retrieving::RetrieverSettings::OPTIONS

    # @return [RankingCache, nil] what keeps rankings between the pages of a walk
    attr_reader :ranking_cache

    # @param store [DocStoreAdapter] the documents
    # @param query_builder [QueryBuilder] makes text queries and knows the tokenizer
    # @param embedding [Embedding, #call, nil] makes query vectors; without one only the text leg runs
    # @param max_page_size [Integer] the largest page that may be asked for, at least 1
    # @param max_results [Integer] the cap of {#query}: so many candidates are ranked, and results shown over all pages,
    #   at the most; at least 1 (CUR-1)
    # @param cursor_secret [String, nil] what cursors are signed with; nil: they are not (CUR-3)
    # @param ranking_cache [RankingCache, nil] keeps rankings between the pages of a walk (CUR-7); nil: each page ranks
    #   anew
    # @param kernels [String, nil] "plain" or "fast", for the reranker; see {Kernels.choice}
    # @param any_vectors [Boolean] whether a store is accepted all of whose vectors are of another dimension than the
    #   embedding's
    # @param observer [Observation, #instrument, #call, nil] told of each event (OBS-1), see {Observation#initialize}
    # @param options [Hash] defaults of {#retrieve} and {#query}, see {Retrieving::RetrievalOptions} and
    #   {Retrieving::QueryOptions}
    def initialize(store, query_builder, embedding = nil, max_page_size: 1024, max_results: 1024, cursor_secret: nil,
                   ranking_cache: nil, kernels: nil, any_vectors: false, observer: HybridSearch.observer, **options)
      Validation.known("option", options.keys, OPTIONS)
      @observation = Observation.of(observer)
      @store = Storing::Source.accept("store", store)
      Collaborators.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
      embedding = Embeddings::Source.accept("embedding", embedding)
      @settings = Retrieving::RetrieverSettings.new(max_page_size:, max_results:, cursor_secret:, ranking_cache:,
                                                    options:)
      Validation.boolean("any_vectors", any_vectors)
      @reranker = Reranker.new(query_builder, kernels:)
      @query_builder = query_builder
      @ranking_cache = ranking_cache
      request("", {})
      query_request("", {})
      @recall = Retrieving::Recall.new(store, query_builder, embedding, @observation, any_vectors:)
      @query_pages = Retrieving::QueryPages.new(@store, @recall, method(:rank), @settings.codec, ranking_cache)
      freeze
    end

    # One page of answers.
    #
    # @param question [String] what is looked for; an empty or blank one has an empty answer (RET-6), unless `match_all`
    #   is true. It has at most as many code points as {QueryBuilder#max_question_length} says
    # @param options [Hash] see {Retrieving::RetrievalOptions}
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

    # All pages from `page` on, while there is more: the same pages as {#retrieve} gives one by one.
    #
    # Recall runs once and each block is reranked once, so a whole walk costs little more than its first page. With
    # `match_all` documents are read block by block, however many there are.
    #
    # @return [Enumerator<RetrievalResult>] when no block is given
    def each_page(question = "", **options, &block)
      request = request(question, options)
      return Enumerator.new { |pages| pages(request) { |page| pages << page } } unless block

      pages(request, &block)
    end

    # One page of a walk by cursor: the first one, or the one after the page whose `next_cursor` is given.
    #
    # All candidates within `budget` are in one order, whatever the limit (CUR-2). Each page ranks them anew unless
    # there is a `ranking_cache`. With `match_all` documents are read page by page, however many there are.
    #
    # @param question [String] as for {#retrieve}
    # @param options [Hash] see {Retrieving::QueryOptions}; all but `limit`, `cursor` and what is merely shown must stay
    #   the same
    # @return [QueryResult]
    # @raise [InvalidCursorError] the cursor is malformed, of another version, forged, or of another request
    # @raise [InvalidInputError] an option that is unknown or not accepted, or a question that is too long
    # @raise [EmbeddingError] the embedding failed
    # @raise [RerankError] the rerank model failed and `fail_open` is false
    def query(question = "", **options)
      @observation.measure("query") do |event|
        @query_pages.page(query_request(question, options)).tap do |page|
          event.update(position: page.paging.position, shown: page.paging.returned)
        end
      end
    end

    # All results of a walk one after another, from `cursor` on: those of all pages of {#query}, ranked once. With
    # `match_all` they are read `limit` at a time.
    #
    # @return [Enumerator<QueryHit>] when no block is given
    def each_result(question = "", **options, &block)
      request = query_request(question, options)
      return Enumerator.new { |hits| @query_pages.each_result(request) { |hit| hits << hit } } unless block

      @query_pages.each_result(request, &block)
    end

    # Rerank one block of candidates and keep what passes the threshold, in the order of ORD-1 (RET-4). Candidates that
    # are ordered by fields, or all that there are, stay in the order of recall (RET-8, RET-9).
    #
    # @param request [Retrieving::RetrievalRequest]
    # @param recalled [Retrieving::Recalled] the block
    # @param first [Integer] the place of its first candidate among all
    # @return [Retrieving::RankedBlock]
    def rank(request, recalled, first = 0)
      @observation.measure("rerank", candidates: recalled.result.ids.size) do |event|
        ranked(request, recalled, first).tap do |ranked|
          event.update(shown: ranked.order.size, formula: ranked.outcome.formula)
        end
      end
    end

    private

    def retrieved(question, options)
      started = clock
      request = request(question, options)
      return empty(request, started) if request.blank?

      candidates = @recall.candidates(request)
      page(request, candidates, paging(request, candidates), started, 0.0)
    end

    def ranked(request, recalled, first)
      outcome = rerank(request, recalled, first)
      as_recalled = request.match_all || !request.order_by.empty?
      order = as_recalled ? outcome.ids.each_index.to_a : outcome.order
      order = order.select { |index| outcome.similarity[index] >= request.similarity_threshold } if request.threshold?
      Retrieving::RankedBlock.new(recalled, outcome, order, first)
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
      rank = ->(recalled, first) { rank(request, recalled, first) }
      return Retrieving::WindowPages.new(candidates, rank) if request.match_all || !request.full_pages

      of_store = @store.fuses_scores?
      passes_all = request.passes_all? && !(of_store && request.threshold?)
      asks_model = !request.rerank_model.nil? && !request.fused? && !of_store
      ranks_all = request.exact_total || !(passes_all || asks_model)
      Retrieving::FullPages.new(candidates, rank, ranks_all, passes_all)
    end

    def request(question, options)
      accepted = @query_builder.accept_question(question)
      @settings.request(accepted, options, @store.exact_text?).tap { |request| check_text_leg(request) }
    end

    def query_request(question, options)
      accepted = @query_builder.accept_question(question)
      @settings.query_request(accepted, options, @store.exact_text?).tap do |request|
        check_text_leg(request.retrieval)
      end
    end

    def check_text_leg(request)
      return if request.text_leg == "tree" || @store.exact_text?

      raise InvalidInputError,
            'text_leg "bm25f" needs a store whose text scores are exact; take profile "ragflow" or "dify"'
    end

    def window(request)
      Retrieving::Window.of(request.page, request.page_size, request.topk, !request.rerank_model.nil?)
    end

    def rerank(request, recalled, first)
      result = recalled.result
      return Reranker::RerankOutcome.of_store_scores(result) if request.match_all || @store.fuses_scores?
      return fused(request, result, first) if request.fused?

      shares = { tkweight: request.tkweight, vtweight: request.vtweight, rank_feature: request.rank_feature,
                 keywords: recalled.keywords }
      if request.rerank_model && !result.ids.empty?
        return @reranker.rerank_by_model(
          request.rerank_model, result, request.question,
          **shares, fail_open: request.fail_open, rerank_timeout: request.rerank_timeout
        )
      end
      @reranker.rerank_by_hybrid(result, request.question, **shares)
    end

    # The scores of the fusion; a model reranks the head of the first block (RET-10).
    def fused(request, result, first)
      outcome = Reranker::RerankOutcome.of_fusion(result)
      return outcome if request.rerank_model.nil? || first.positive?

      partial = PartialRerank.new(request.rerank_model, fail_open: request.fail_open,
                                                        rerank_timeout: request.rerank_timeout)
      outcome.with_model(partial.rerank_result(request.question, result, outcome.stage1_scores))
    end

    # The page a request is for; the clock was started then, recall had taken so long before.
    def page(request, candidates, paging, started, recalled_before)
      window = window(request)
      entries = paging.page(window)
      warnings = entries.ranked.warnings
      warnings += Retrieving::FilterWarnings.warnings(@store, request.filters) if candidates.total.zero?
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
        explain: request.explain ? Retrieving::Explain.explanation(request, candidates.latest, entries, window) : nil,
        page_size: request.page_size,
        total_is_lower_bound: entries.total_is_lower_bound,
        total_is_upper_bound: entries.total_is_upper_bound,
        full_pages: request.full_pages,
        facets: Retrieving::Facets.facets(request, counts(request, candidates, entries))
      )
    end

    # What facets count: the same set as the total.
    def counts(request, candidates, entries)
      return candidates.latest.result.aggs if request.facets.nil? || entries.counted.nil?

      Retrieving::Facets.counts(request, entries.counted.map(&:fields))
    end

    # Milliseconds, from seconds and the clock when it began.
    def timings(recall, rerank, started)
      { "recall" => recall * 1000.0, "rerank" => rerank * 1000.0, "total" => (clock - started) * 1000.0 }
    end

    def empty(request, started)
      RetrievalResult.new(
        total: 0, window_total: 0, chunks: [], doc_aggs: [], page: request.page, has_more: false,
        timings: timings(0.0, 0.0, started), page_size: request.page_size, full_pages: request.full_pages,
        facets: Retrieving::Facets.facets(request, {})
      )
    end

    def clock
      Retrieving::FetchedCandidates.clock
    end
  end
end
