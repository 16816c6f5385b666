# frozen_string_literal: true

module HybridSearch
  # Retrieves documents from a store by semantic, full-text, keyword or hybrid search, with Dify's settings (DFY-6).
  #
  # Stateless between calls except for the caches of query vectors and keywords, and safe to share between threads as
  # far as its store, its embedding and its models are.
  class RetrievalService
    include Base::ShortInspect

    autoload :ServiceResult, "hybrid_search/retrieval_service/service_result"

    DEFAULT_CANDIDATES = 200
    OPTIONS = %w[
      query_builder embedding models candidates fail_open rerank_timeout keyword_limit reorder keyword_extractor
      observer
    ].freeze
    RETRIEVE_OPTIONS = [
      *PostProcessors::DifySettings::SETTINGS, "configuration", "document_ids_filter", "explain",
      *PostProcessors::DifySettings::OTHER_NAMES
    ].freeze
    HYBRID = %w[semantic_search full_text_search].freeze

    # @param store [DocStoreAdapter] the documents
    # @param query_builder [QueryBuilder, nil] makes text queries, and provides the tokenizer and the maximum length of
    #   a query; default: a {QueryBuilder}
    # @param embedding [Embedding, Object, nil] makes query vectors: an {Embedding} or a provider; its vectors are
    #   cached (EMB-3). Semantic and hybrid search require it
    # @param models [Hash{String=>Object}, nil] rerank models by their names (DFY-7)
    # @param candidates [Integer] the number of candidates of each leg of a hybrid or reranked search, at least 1; also
    #   the largest `top_k`
    # @param fail_open [Boolean] whether a failing leg or model is a warning (true) or an error
    # @param rerank_timeout [Float] maximum number of seconds for a rerank model; above 0
    # @param keyword_limit [Integer, nil] maximum number of words of a document; nil or 0 uses all words
    # @param reorder [Boolean] whether the best documents go to both ends (DFY-5)
    # @param keyword_extractor [KeywordExtractor, KeywordCache, nil] finds keywords, which are cached; words should be
    #   added to it before. Default: a {KeywordExtractor}
    # @param observer [Base::Observation, #instrument, #call, nil] receives each event (OBS-1), see
    #   {Base::Observation#initialize}
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    def initialize(store, query_builder: nil, embedding: nil, models: nil, candidates: DEFAULT_CANDIDATES,
                   fail_open: true, rerank_timeout: 30.0, keyword_limit: nil, reorder: false,
                   keyword_extractor: nil, observer: HybridSearch.observer, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @models = Base::Validation.mapping("models", models.nil? ? {} : models).to_h do |name, model|
        [name, Rerankers::RerankChoice.accept("models[#{Base::Validation.describe(name)}]", model)]
      end
      Stores::StoreArgument.accept("store", store)
      @candidates = Base::Validation.integer("candidates", candidates, 1)
      @observation = Base::Observation.of(observer)
      @fail_open = Base::Validation.boolean("fail_open", fail_open)
      @reorder = Base::Validation.boolean("reorder", reorder)
      keyword_extractor = KeywordCache.new(keyword_extractor) unless keyword_extractor.is_a?(KeywordCache)
      @processing = { keyword_limit:, reorder:, fail_open:, rerank_timeout:, keyword_extractor: }
      PostProcessors::DifySettings::MODES.each do |mode| # refuses options that no retrieval could use
        PostProcessor.new(mode, weights: "1,1", reranking_model: ->(_, texts) { texts }, **@processing)
      end
      query_builder = QueryBuilder.new if query_builder.nil?
      @query_builder = Base::ObjectChecks.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
      @legs = RetrievalServices::SearchLegs.new(store, @query_builder, cached(embedding), keyword_extractor)
      freeze
    end

    # Return the best documents for a query.
    #
    # @param query [String] as typed, at most as long as {QueryBuilder#max_question_length}, in code points; a blank
    #   query finds nothing
    # @param configuration [Hash, String, RetrievalConfiguration, nil] Dify's settings, an object or its JSON text
    #   (DFY-7)
    # @param document_ids_filter [Array<String>, nil] the parents' ids (`document_id`) of the documents to search; nil
    #   searches all documents, and [] searches no documents
    # @param explain [Boolean] whether the result explains its scores
    # @param settings [Hash] `search_method`, `top_k`, `score_threshold`, `reranking_enable`, `reranking_mode`,
    #   `reranking_model`, `weights`, `metadata_filtering_conditions`, which override those of the configuration
    #   (DFY-7). `top_k` is from 1 to `candidates`. The threshold applies to the final score, or to the cosines in
    #   hybrid search without reranking. It does not apply to full-text and keyword scores unless they are reranked.
    #   Hybrid search applies weights in the mode weighted_score whether reranking is on or off
    # @return [ServiceResult]
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    # @raise [ConfigurationError] a model is unknown, or weights or the embedding are missing
    # @raise [EmbeddingError] the embedding failed, and there is no other leg, or `fail_open` is false
    # @raise [DocStoreError] the store failed, under the same condition
    # @raise [RerankError] the rerank model failed and `fail_open` is false
    def retrieve(query, configuration: nil, document_ids_filter: nil, explain: false, **settings)
      @observation.measure("retrieve") do |event|
        retrieved(query, configuration, document_ids_filter, explain, settings).tap do |found|
          event.update(shown: found.documents.size, warnings: found.warnings.size)
        end
      end
    end

    private

    def retrieved(query, configuration, document_ids_filter, explain, settings)
      Base::Validation.known("option", settings.keys, RETRIEVE_OPTIONS)
      query = @query_builder.accept_question(query, "query")
      wanted = configuration(configuration, settings)
      filters = filters(wanted, document_ids_filter)
      explain = Base::Validation.boolean("explain", explain)
      processor = processor(wanted)
      if Base::Characters.strip(query.tr("\0", " ")).empty? || filters["doc_id"] == []
        return ServiceResult.new(explain: explain ? RetrievalServices::ScoreTable.explain(wanted, "leg", [], []) : nil)
      end

      answer(query, wanted, filters, processor, explain)
    end

    def filters(wanted, document_ids)
      filters = { "available_int" => 1, **wanted.filters }
      filters["doc_id"] = Base::Validation.texts("document_ids_filter", document_ids) unless document_ids.nil?
      filters
    end

    def answer(query, wanted, filters, processor, explain)
      candidates, warnings = observed_recall(query, wanted, filters)
      documents, cosine_warnings = documents(query, wanted, filters, candidates)
      processed = observed_rerank(query, wanted, processor, documents)
      shown = processed.documents
      keywords = processed.query_keywords
      table = RetrievalServices::ScoreTable.explain(wanted, formula(wanted, processed), keywords, shown) if explain
      warnings = vector_warnings(candidates) + warnings + cosine_warnings + candidates.warnings + processed.warnings
      ServiceResult.new(documents: shown, warnings:, explain: table)
    end

    def vector_warnings(candidates)
      candidates.leg_names.include?("semantic_search") ? @legs.warnings : []
    end

    def observed_recall(query, wanted, filters)
      @observation.measure("recall", method: wanted.search_method) do |event|
        recall(query, wanted, filters).tap { |candidates, _| event.update(candidates: candidates.count) }
      end
    end

    def observed_rerank(query, wanted, processor, documents)
      @observation.measure("rerank", candidates: documents.size) do |event|
        processed(query, wanted, processor, documents).tap do |processed|
          event.update(shown: processed.documents.size, formula: formula(wanted, processed))
        end
      end
    end

    def configuration(configuration, settings)
      wanted = RetrievalConfiguration.parse(configuration, settings)
      Base::Validation.integer("top_k", wanted.top_k, 1, @candidates)
      if %w[semantic_search hybrid_search].include?(wanted.search_method) && !@legs.embedding?
        raise ConfigurationError, "#{wanted.search_method} needs an embedding"
      end

      wanted
    end

    def processor(wanted)
      wanted.reranks? ? PostProcessor.from_configuration(wanted, @models, **@processing) : nil
    end

    # Return the results of the legs, and a warning for a leg that failed.
    def recall(query, wanted, filters)
      method = wanted.search_method
      return hybrid_recall(query, filters) if method == "hybrid_search"

      depth = wanted.reranks? ? @candidates : wanted.top_k
      Base::Log.failures(Error) do
        [RetrievalServices::ServiceCandidates.new([[method, @legs.search(method, query, filters, depth)]]), []]
      end
    end

    def hybrid_recall(query, filters)
      answers = RetrievalServices::SearchLegs.together(
        HYBRID.map { |leg| -> { @legs.search(leg, query, filters, @candidates) } }
      )
      problems, found = HYBRID.zip(answers).partition { |_, answer| answer.is_a?(Error) }
      Base::Log.failures(Error) { raise problems[0][1] } if !problems.empty? && (!@fail_open || found.empty?)

      warnings = problems.map { |leg, problem| warned("retrieved without #{leg}: #{problem.message}") }
      [RetrievalServices::ServiceCandidates.new(found), warnings]
    end

    # Return the documents to score, and a warning if their cosines are missing.
    def documents(query, wanted, filters, candidates)
      hybrid = wanted.search_method == "hybrid_search"
      weighted = wanted.reranks? && wanted.reranking_mode == PostProcessors::DifySettings::WEIGHTED
      cosines = {}
      warnings = []
      if hybrid ? candidates.leg_names.include?("semantic_search") : weighted
        cosines, warnings = cosines(query, filters, candidates)
      end
      scores = {}
      scores = hybrid ? candidates.fused_scores : candidates.leg_scores unless weighted
      [candidates.documents(scores, cosines), warnings]
    end

    # Return the store's cosines of documents that no semantic leg found, or a warning if there are none.
    def cosines(query, filters, candidates)
      return [{}, ["ranked without vectors: there is no embedding"]] unless @legs.embedding?

      begin
        [@legs.cosines(query, candidates.without("semantic_search"), filters), []]
      rescue Error => e
        Base::Log.warning(e.message) unless @fail_open
        raise unless @fail_open

        [{}, [warned("ranked without vectors: #{e.message}")]]
      end
    end

    def warned(warning)
      Base::Log.warning(warning)
      warning
    end

    def processed(query, wanted, processor, documents)
      if processor
        return processor.process(query, documents, score_threshold: wanted.score_threshold, top_n: wanted.top_k)
      end

      threshold = wanted.score_threshold
      documents = near(documents, threshold) if wanted.search_method == "hybrid_search"
      threshold = nil unless wanted.search_method == "semantic_search"
      shown = PostProcessors::RankedList.cut(documents, threshold, wanted.top_k)
      shown = PostProcessors::RankedList.reorder(shown) if @reorder
      PostProcessor::ProcessedDocuments.new(documents: shown, warnings: [])
    end

    # Return documents whose cosine reaches the threshold, a missing one being 0; all of them if all cosines are
    # missing.
    def near(documents, threshold)
      cosines = documents.map { |document| document.metadata["vector_score"] }
      return documents if threshold.nil? || cosines.all?(nil)

      documents.zip(cosines).filter_map { |document, cosine| document if (cosine || 0.0) >= threshold }
    end

    def formula(wanted, processed)
      return wanted.reranking_mode if wanted.reranks? && processed.applied

      wanted.search_method == "hybrid_search" ? "rrf" : "leg"
    end

    # Return the embedding with a cache; one that is a cache already is returned as it is.
    def cached(embedding)
      return Embedding.new(embedding) if embedding.is_a?(EmbeddingCache)

      accepted = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      accepted.nil? ? nil : Embedding.new(EmbeddingCache.new(accepted))
    end
  end
end
