# frozen_string_literal: true

module HybridSearch
  # Checked access to an embedding provider (EMB-1, EMB-2).
  #
  # A provider is a callable that maps a list of texts to the same number of vectors, or an object with `encode(texts)`
  # or `encode_queries(text)` or both. In spite of its name `encode_queries` is called with one text, and returns one
  # vector, or a list of that one vector. Objects of other libraries are accepted unchanged: `RubyLLM` and others with
  # `embed(texts)`, and objects with the methods of sentence-transformers, LangChain, LlamaIndex or fastembed
  # ({Embeddings::Provider}). Vectors must be one-dimensional, finite, not zero, with a squared norm that neither
  # overflows nor is 0, and all of one length.
  #
  # If a provider has a method `needs_model?` that returns false, its vectors cost nothing, and an index stores the
  # records in larger batches (IDX-3).
  #
  # Safe to use from several threads if the provider is.
  class Embedding
    include Base::ShortInspect

    # @return [String] the name of the model; may be empty
    attr_reader :model
    # @return [Integer, nil] the number of components of every vector; nil until it is known
    attr_reader :dimension

    # Return the embedding of a model by its name (EMB-4).
    #
    # @param name [String] a family, and after a slash a model: "fastembed", "openai/text-embedding-3-small" …
    # @param options [Hash] `dimension` and `url` for openai, `dimension` for hashing; `query_prefix` and
    #   `passage_prefix` instead of the prefixes that the model is known to need, "" adds none
    # @return [Embedding]
    # @raise [InvalidInputError] an unknown name or option, or one that the family does not have
    # @raise [ConfigurationError] the library of the family is not installed
    def self.named(name, **options)
      Base::Validation.known("option", options.keys, Embeddings::EmbeddingChoice::OPTIONS)
      chosen(Embeddings::EmbeddingChoice.named(name, **options))
    end

    # @param choice [Embeddings::EmbeddingChoice, nil] the choice that a file states
    # @return [Embedding, nil] its embedding, nil without one
    # @raise [ConfigurationError] its library is not installed; the message names it
    def self.chosen(choice)
      provider = choice&.provider
      provider && new(provider)
    end

    # @param provider [#call, #encode, #encode_queries, #embed] see above
    # @param model [String, nil] default: the provider's `model` or `model_name`, or an empty name
    # @param dimension [Integer, nil] default: that of the provider, or of its first vector
    # @raise [InvalidInputError] the provider is not a callable and has none of the methods, or an option is wrong
    def initialize(provider, model: nil, dimension: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[provider model dimension])
      accepted = Embeddings::Provider.accept("provider", provider)
      model = accepted.model if model.nil?
      dimension = accepted.told(:dimension, ::Integer) if dimension.nil?
      @provider = accepted
      @model = model.nil? ? "" : Base::Validation.text("model", model)
      @dimension = dimension.nil? ? nil : Base::Validation.integer("dimension", dimension, 1)
      @lock = Thread::Mutex.new
    end

    # @return [Boolean] whether a model makes the vectors, which takes time or money; a {HashingEmbedder} needs none
    def needs_model?
      @provider.needs_model?
    end

    # @param text [String] one query
    # @return [Array<Float>] its vector
    # @raise [InvalidInputError] `text` is not a text of valid UTF-8
    # @raise [EmbeddingError] the provider failed or returned an unusable vector
    def encode_queries(text)
      text = Base::Validation.text("text", text)
      return encode_checked([text], "the query's vector")[0] unless @provider.questions?

      checked("the query's vector", @provider.of_a_question(text))
    end

    # @param texts [Array<String>]
    # @return [Array<Array<Float>>] their vectors, in their order; without texts the provider is not called
    # @raise [InvalidInputError] `texts` is not a list of texts of valid UTF-8
    # @raise [EmbeddingError] the provider failed, or returned another number of vectors or an unusable one
    def encode(texts)
      checked = Base::Validation.texts("texts", texts)
      checked.empty? ? [] : encode_checked(checked)
    end

    # Return the nearest-neighbour query for a text.
    #
    # @param text [String] the query
    # @param topk [Integer] the maximum number of documents, at least 1
    # @param similarity [Float] the lowest cosine of a match, -1 to 1
    # @return [AdapterKit::MatchDenseExpr]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [EmbeddingError] the provider failed or returned an unusable vector
    def match_dense(text, topk:, similarity:)
      topk = Base::Validation.integer("topk", topk, 1)
      similarity = Base::Validation.number("similarity", similarity, -1.0, 1.0)
      vector = encode_queries(text)
      AdapterKit::MatchDenseExpr.new(field: "q_#{vector.size}_vec", vector:, topn: topk,
                                     extra_options: { "similarity" => similarity })
    end

    private

    def encode_checked(texts, name = nil)
      answer = @provider.of_texts(texts)
      unless answer.is_a?(::Array)
        raise Base::Validation.failure("the embedding provider's answer", answer, "a list of vectors", EmbeddingError)
      end
      if answer.size != texts.size
        raise EmbeddingError, "the embedding provider gave #{answer.size} vectors for #{texts.size} texts"
      end

      answer.each_with_index.map { |vector, index| checked(name || "vectors[#{index}]", vector) }
    end

    def checked(name, value)
      vector = Base::Validation.vector(name, value, error: EmbeddingError)
      raise EmbeddingError, "#{name} must not be zero: its squared norm is 0" if Base::Numeric.dot(vector, vector).zero?

      @lock.synchronize { @dimension ||= vector.size }
      if vector.size != @dimension
        raise EmbeddingError, "#{name} must have #{@dimension} components, not #{vector.size}"
      end

      vector
    end
  end
end
