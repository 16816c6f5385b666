# frozen_string_literal: true

module HybridSearch
  # Answers queries from a store by meaning, by text, by keywords, or by meaning and text, with Dify's settings (DFY-6).
  #
  # Holds no state between calls but the caches of query vectors and keywords, and may be used by several threads at
  # once, as far as its store, its embedding and its models may.
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
    # @param query_builder [QueryBuilder, nil] makes text queries, and knows the tokenizer and how long a query may be;
    #   the default one if not given
    # @param embedding [Embedding, Object, nil] makes query vectors: an {Embedding} or a provider; its vectors are
    #   cached (EMB-3). Without one there is neither semantic nor hybrid search
    # @param models [Hash{String=>Object}, nil] rerank models by their names (DFY-7)
    # @param candidates [Integer] how deep the legs of a hybrid or reranked search are, at least 1; the most that can be
    #   asked for
    # @param fail_open [Boolean] whether a failing leg or model is a warning (true) or an error
    # @param rerank_timeout [Float] how many seconds a rerank model may take; above 0
    # @param keyword_limit [Integer, nil] how many words of a document count at the most; nil or 0: all
    # @param reorder [Boolean] whether the best documents go to both ends (DFY-5)
    # @param keyword_extractor [KeywordExtractor, KeywordCache, nil] finds keywords; the default one when not given.
    #   What it finds is cached: words should be added before
    # @param observer [Base::Observation, #instrument, #call, nil] told of each event (OBS-1), see
    #   {Base::Observation#initialize}
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    def initialize(store, query_builder: nil, embedding: nil, models: nil, candidates: DEFAULT_CANDIDATES,
                   fail_open: true, rerank_timeout: 30.0, keyword_limit: nil, reorder: false,
                   keyword_extractor: nil, observer: HybridSearch.observer, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @models = Base::Validation.mapping("models", models.nil? ? {} : models)
      @models.each { |name, model| Rerankers::RerankModel.accept("models[#{Base::Validation.describe(name)}]", model) }
      Stores::StoreArgument.accept("store", store)
      @candidates = Base::Validation.integer("candidates", candidates, 1)
      @observation = Base::Observation.of(observer)
      @fail_open = Base::Validation.boolean("fail_open", fail_open)
      @reorder = Base::Validation.boolean("reorder", reorder)
      keyword_extractor = KeywordCache.new(keyword_extractor) unless keyword_extractor.is_a?(KeywordCache)
      @processing = { keyword_limit:, reorder:, fail_open:, rerank_timeout:, keyword_extractor: }
      PostProcessors::DifySettings::MODES.each do |mode| # options that no retrieval could use are refused here
        PostProcessor.new(mode, weights: "1,1", reranking_model: ->(_, texts) { texts }, **@processing)
      end
      query_builder = QueryBuilder.new if query_builder.nil?
      @query_builder = Base::ObjectChecks.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
      @legs = RetrievalServices::SearchLegs.new(store, @query_builder, cached(embedding), keyword_extractor)
      freeze
    end

    # The best documents for a query.
    #
    # @param query [String] as typed, of at most as many code points as {QueryBuilder#max_question_length} says; a blank
    #   one finds nothing
    # @param configuration [Hash, String, RetrievalConfiguration, nil] Dify's settings, an object or its JSON text
    #   (DFY-7)
    # @param document_ids_filter [Array<String>, nil] the parents' ids (`document_id`) of the documents that count; nil:
    #   all, []: none
    # @param explain [Boolean] whether the result tells how the scores came about
    # @param settings [Hash] `search_method`, `top_k`, `score_threshold`, `reranking_enable`, `reranking_mode`,
    #   `reranking_model`, `weights`, in the place of the configuration's (DFY-7). `top_k` is from 1 to `candidates`.
    #   The threshold applies to the final score, in hybrid search that is not reranked to the cosines; not to full-text
    #   and keyword scores unless they are reranked. Hybrid search applies weights in the mode weighted_score whether
    #   reranking is on or off
    # @return [ServiceResult]
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    # @raise [ConfigurationError] a model that is unknown, weights that are missing, no embedding
    # @raise [EmbeddingError] the embedding failed, and there is no other leg, or `fail_open` is false
    # @raise [DocStoreError] the store failed, likewise
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

    # What the legs found, and a warning for one that failed.
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

    # The documents that are to be scored, and a warning if there are no cosines for them.
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

    # The store's cosines of the documents that no semantic leg found, or a warning that there are none.
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

    # The documents whose cosine is at least the threshold; one without a cosine has 0. All where none has one.
    def near(documents, threshold)
      cosines = documents.map { |document| document.metadata["vector_score"] }
      return documents if threshold.nil? || cosines.all?(nil)

      documents.zip(cosines).filter_map { |document, cosine| document if (cosine || 0.0) >= threshold }
    end

    def formula(wanted, processed)
      return wanted.reranking_mode if wanted.reranks? && processed.applied

      wanted.search_method == "hybrid_search" ? "rrf" : "leg"
    end

    # The embedding with a cache; one that is a cache already stays.
    def cached(embedding)
      return Embedding.new(embedding) if embedding.is_a?(EmbeddingCache)

      accepted = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      accepted.nil? ? nil : Embedding.new(EmbeddingCache.new(accepted))
    end
  end
end
