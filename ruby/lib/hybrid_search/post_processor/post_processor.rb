# frozen_string_literal: true

module HybridSearch
  # Post-processes the documents of a search as Dify does: deduplicates, scores, sorts and cuts them (DFY-1 … DFY-5).
  #
  # Stateless between calls, and safe to share between threads as far as its model is.
  class PostProcessor
    include Base::ShortInspect

    # The result of post-processing: the documents in order, as copies of the given ones.
    class ProcessedDocuments
      include Base::Listing
      include Base::Value

      # @return [Array<Document>] with `score` in their metadata
      attr_reader :documents
      # @return [Array<String>] problems that did not stop the work
      attr_reader :warnings
      # @return [Array<String>] words and parts of the query if keywords were compared, else empty
      attr_reader :query_keywords
      # @return [Boolean] whether the documents were scored; false if the model failed
      attr_reader :applied

      def initialize(documents:, warnings: [], query_keywords: [], applied: true)
        @documents = documents.dup.freeze
        @warnings = warnings.dup.freeze
        @query_keywords = query_keywords.dup.freeze
        @applied = applied
        freeze
      end

      # @return [Hash{String=>Object}] documents and warnings as plain data
      def to_h
        { "documents" => documents.map(&:to_h), "warnings" => warnings.dup }
      end

      private

      def items
        documents
      end
    end

    OPTIONS = %w[
      reranking_mode weights reranking_model keyword_limit reorder fail_open rerank_timeout keyword_extractor
    ].freeze
    PROCESS_OPTIONS = %w[score_threshold top_n query_vector].freeze

    # Return a processor with the mode, weights and model of Dify's configuration.
    #
    # @param configuration [Hash, String, RetrievalConfiguration] Dify's object or its JSON text (DFY-7); its
    #   `reranking_enable` is ignored
    # @param models [Hash{String=>Object}, nil] rerank models by their names
    # @param options [Hash] the other options of the constructor
    # @return [PostProcessor]
    # @raise [ConfigurationError] weighted_score without weights, no model or an unknown one
    # @raise [InvalidInputError] the configuration or an option is not acceptable
    def self.from_configuration(configuration, models = nil, **options)
      parsed = RetrievalConfiguration.parse(configuration)
      Base::Validation.known("option", options.keys, OPTIONS.drop(3))
      reranking_model = parsed.reranking_mode == PostProcessors::DifySettings::MODEL ? parsed.model(models) : nil
      new(parsed.reranking_mode, weights: parsed.weights, reranking_model:, **options)
    end

    # @param reranking_mode [String, Symbol] "weighted_score" or "reranking_model"
    # @param weights [Hash, String, Array, nil] the weights of vectors and keywords, for weighted_score: Dify's object,
    #   or "0.3,0.7", or a list of the two
    # @param reranking_model [#similarity, #call, nil] for reranking_model
    # @param keyword_limit [Integer, nil] maximum number of words of a document; nil or 0 uses all words (Dify takes 10)
    # @param reorder [Boolean] whether the best documents go to both ends (DFY-5)
    # @param fail_open [Boolean] whether a failing or late model is a warning (true) or a {RerankError} (RNK-7)
    # @param rerank_timeout [Float] maximum number of seconds for the model; above 0
    # @param keyword_extractor [KeywordExtractor, KeywordCache, nil] finds keywords; default: a {KeywordExtractor}
    # @raise [ConfigurationError] weighted_score without weights, reranking_model without a model
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    def initialize(reranking_mode, weights: nil, reranking_model: nil, keyword_limit: nil, reorder: false,
                   fail_open: true, rerank_timeout: 30.0, keyword_extractor: nil, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      mode = Base::Validation.choice("reranking_mode", reranking_mode, PostProcessors::DifySettings::MODES)
      @reorder = Base::Validation.boolean("reorder", reorder)
      Base::Validation.boolean("fail_open", fail_open)
      if mode == PostProcessors::DifySettings::WEIGHTED
        raise ConfigurationError, "reranking_mode weighted_score needs weights" if weights.nil?

        @keyword_cosine = PostProcessors::KeywordCosine.new(keyword_extractor, keyword_limit)
        @weights = PostProcessors::ScoreWeights.parse(weights)
      else
        raise ConfigurationError, "reranking_mode reranking_model needs a reranking_model" if reranking_model.nil?

        @model = Rerankers::RerankModel.new(reranking_model, fail_open:, rerank_timeout:, name: "reranking_model")
      end
      freeze
    end

    # Return the scored documents that reach the threshold, best first.
    #
    # @param query [String] as typed
    # @param documents [Array<Document, Hash>] {Document}s or objects of `page_content` and `metadata`; they are not
    #   changed
    # @param score_threshold [Float, nil] the lowest score shown; nil or 0 shows all
    # @param top_n [Integer, nil] maximum number of documents; nil or 0 returns all
    # @param query_vector [Array<Float>, nil] for documents that have a `vector` and no score, in weighted_score
    # @return [ProcessedDocuments]
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    # @raise [DimensionMismatchError] vectors of other lengths than the query's
    # @raise [RerankError] the model failed or was late, and `fail_open` is false
    def process(query, documents, score_threshold: nil, top_n: nil, query_vector: nil, **unknown)
      Base::Validation.known("option", unknown.keys, PROCESS_OPTIONS)
      query = Base::Validation.text("query", query)
      limits = PostProcessors::RankedList.limits(score_threshold, top_n)
      vector = query_vector.nil? ? nil : Base::Validation.vector("query_vector", query_vector)
      given = Document.build_many("documents", documents)
      check_dimensions(given, vector.size) if vector
      first = PostProcessors::RankedList.deduplicate(given)
      @model ? by_model(query, first, limits) : by_weights(query, first, limits, vector)
    end

    private

    def check_dimensions(documents, dimension)
      documents.each_with_index { |document, index| document.check_dimension("documents[#{index}]", dimension) }
    end

    def by_weights(query, documents, limits, vector)
      keywords = @keyword_cosine.scores(query, documents.map(&:page_content))
      scored = PostProcessors::WeightedScore.score(documents, keywords, @weights, vector)
      shown = arranged(PostProcessors::RankedList.cut(scored, *limits))
      ProcessedDocuments.new(documents: shown, query_keywords: keywords.query_keywords)
    end

    # Score all texts in one call of the model, scores unchanged (DFY-4); without scores the order stays.
    def by_model(query, documents, limits)
      scores, warning = @model.attempt(query, documents.map(&:page_content), scaled: false)
      if scores.nil?
        shown = arranged(PostProcessors::RankedList.best(documents, limits[1]))
        return ProcessedDocuments.new(documents: shown, warnings: [warning], applied: false)
      end

      scored = documents.zip(scores).map { |document, score| document.with_metadata("score" => score) }
      ProcessedDocuments.new(documents: arranged(PostProcessors::RankedList.cut(scored, *limits)))
    end

    def arranged(documents)
      @reorder ? PostProcessors::RankedList.reorder(documents) : documents
    end
  end
end
