# frozen_string_literal: true

module HybridSearch
  # Reranks the documents that recall found (RNK-1, RNK-2, RNK-7): scores the documents of a search result against the
  # question. Stateless between calls.
  class Reranker
    include Base::ShortInspect

    autoload :RerankOutcome, "hybrid_search/reranker/outcome"

    OPTIONS = %w[tkweight vtweight rank_feature keywords].freeze
    MODEL_OPTIONS = %w[tkweight vtweight rank_feature fail_open rerank_timeout keywords].freeze

    # @param query_builder [#build_text_query, #token_similarity] reads the question, compares tokens (QRY-9)
    # @param kernels [String, nil] "plain" or "fast", see {Base::Kernels.choice}; fast ones use data that a store has
    #   prepared and computed
    # @raise [InvalidInputError] no kernels have this name
    # @raise [ConfigurationError] the environment variable contains an unknown name
    def initialize(query_builder, kernels: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[kernels])
      needed = %w[build_text_query token_similarity]
      Base::ObjectChecks.having("query_builder", query_builder, needed, "a QueryBuilder, or like one")
      @terms = Base::Kernels.kernel("term_similarity", kernels).new(query_builder)
      @vectors = Base::Kernels.kernel("vector_similarity", kernels)
      freeze
    end

    # Return the weighted sum of token and vector similarity (RNK-1).
    #
    # @param result [AdapterKit::SearchResult] the documents; `query_vector` is compared with their `q_{dim}_vec`
    # @param question [String] as typed
    # @param tkweight [Float] the weight of the token similarity, at least 0
    # @param vtweight [Float] the weight of the vector similarity, at least 0
    # @param rank_feature [Hash{String=>Float}, nil] the query's tags (RNK-5)
    # @param keywords [Array<String>, nil] the question's keywords; nil extracts them from the question
    # @return [RerankOutcome]
    # @raise [InvalidInputError] an argument is not acceptable, or a similarity is not finite
    def rerank_by_hybrid(result, question, tkweight: 0.3, vtweight: 0.7, rank_feature: nil, keywords: nil, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      check_result(result)
      tkweight = Base::Validation.number("tkweight", tkweight, 0)
      vtweight = Base::Validation.number("vtweight", vtweight, 0)
      reader = Stores::Documents::StoredFields.new
      terms = @terms.of_result(result, known_keywords(question, keywords), reader)
      vectors = vector_similarities(result, reader)
      features = Rerankers::RankFeatures.scores(result, rank_feature, reader)
      formula = Base::Numeric.sum_left(vectors).zero? ? "term" : "weighted"
      similarity = terms.each_index.map do |place|
        next terms[place] + features[place] if formula == "term"

        (vtweight * vectors[place]) + (tkweight * terms[place]) + features[place]
      end
      RerankOutcome.new(ids: result.ids, similarity:, term_similarity: terms, vector_similarity: vectors,
                        rank_feature: features, formula:, warnings: reader.warnings)
    end

    # Return the weighted sum of token similarity and a model's score (RNK-2).
    #
    # @param model [#similarity, #call] returns one finite number for each text (RNK-3)
    # @param result [AdapterKit::SearchResult] the documents
    # @param question [String] as typed; the model receives it unchanged
    # @param tkweight [Float] the weight of the token similarity, at least 0
    # @param vtweight [Float] the weight of the model's score, at least 0
    # @param rank_feature [Hash{String=>Float}, nil] the query's tags (RNK-5)
    # @param fail_open [Boolean] whether a failing or late model causes a warning and the outcome of {#rerank_by_hybrid}
    #   (RNK-7)
    # @param rerank_timeout [Float] maximum number of seconds for the model; above 0
    # @param keywords [Array<String>, nil] the question's keywords; nil extracts them from the question
    # @return [RerankOutcome]
    # @raise [InvalidInputError] an argument is not acceptable, or a similarity is not finite
    # @raise [RerankError] the model failed or was late, and `fail_open` is false
    def rerank_by_model(model, result, question, tkweight: 0.3, vtweight: 0.7, rank_feature: nil, fail_open: true,
                        rerank_timeout: 30.0, keywords: nil, **unknown)
      Base::Validation.known("option", unknown.keys, MODEL_OPTIONS)
      rerank_model = Rerankers::RerankModel.new(model, fail_open:, rerank_timeout:)
      check_result(result)
      tkweight = Base::Validation.number("tkweight", tkweight, 0)
      vtweight = Base::Validation.number("vtweight", vtweight, 0)
      reader = Stores::Documents::StoredFields.new
      known = known_keywords(question, keywords)
      documents = result.ids.map do |name|
        Stores::Documents::StoredFields.model_tokens(name, result.fields_of(name), reader)
      end
      texts = documents.map { |tokens| Rerankers::Spacing.remove_redundant(tokens.join(" ")) }
      features = Rerankers::RankFeatures.scores(result, rank_feature, reader)
      scores, warning = rerank_model.attempt(question, texts)
      unless scores
        fallback = rerank_by_hybrid(result, question, tkweight:, vtweight:, rank_feature:, keywords: known)
        return fallback.with_warning(warning)
      end
      terms = @terms.of_tokens(known, documents)
      similarity = terms.each_index.map do |place|
        (tkweight * terms[place]) + (vtweight * scores[place]) + features[place]
      end
      RerankOutcome.new(ids: result.ids, similarity:, term_similarity: terms, vector_similarity: scores,
                        rank_feature: features, formula: "model", warnings: reader.warnings)
    end

    private

    def known_keywords(question, keywords)
      checked = Base::Validation.text("question", question)
      keywords.nil? ? @terms.keywords(checked) : Base::Validation.texts("keywords", keywords)
    end

    def vector_similarities(result, reader)
      return Array.new(result.ids.size, 0.0) if result.query_vector.nil?

      @vectors.similarities(result, Base::Validation.vector("query_vector", result.query_vector), reader)
    end

    def check_result(result)
      raise Base::Validation.failure("result", result, "a SearchResult") unless result.is_a?(AdapterKit::SearchResult)
    end
  end
end
