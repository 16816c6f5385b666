# frozen_string_literal: true

module HybridSearch
  # Checked access to an embedding provider (EMB-1, EMB-2).
  #
  # A provider is a callable from a list of texts to as many vectors, or an object with `encode(texts)` or
  # `encode_queries(text)` or both. In spite of its name `encode_queries` is called with one text, and returns one
  # vector, or a list of that one vector. Vectors must be one-dimensional, finite, not zero, with a squared norm that
  # neither overflows nor is 0, and all of one length.
  #
  # Safe to use from several threads when the provider is.
  class Embedding
    include ShortInspect

    # @return [String] the name of the model; may be empty
    attr_reader :model
    # @return [Integer, nil] how many components every vector has; nil until it is known
    attr_reader :dimension

    # @param provider [#call, #encode, #encode_queries]
    # @param model [String, nil] taken from the provider, else empty, when not given
    # @param dimension [Integer, nil] taken from the provider, else from its first vector, when not given
    # @raise [InvalidInputError] the provider is not a callable and has neither method, or an option is wrong
    def initialize(provider, model: nil, dimension: nil, **unknown)
      Validation.known("option", unknown.keys, %w[provider model dimension])
      unless Collaborators.able?(provider, %w[encode encode_queries])
        raise Validation.failure("provider", provider, "a callable or an object with encode or encode_queries")
      end

      model = told(provider, :model, ::String) if model.nil?
      dimension = told(provider, :dimension, ::Integer) if dimension.nil?
      @provider = provider
      @model = model.nil? ? "" : Validation.text("model", model)
      @dimension = dimension.nil? ? nil : Validation.integer("dimension", dimension, 1)
      @lock = Thread::Mutex.new
    end

    # @param text [String] one query
    # @return [Array<Float>] its vector
    # @raise [InvalidInputError] `text` is not a text of valid UTF-8
    # @raise [EmbeddingError] the provider failed or gave an unusable vector
    def encode_queries(text)
      text = Validation.text("text", text)
      return encode_checked([text], "the query's vector")[0] unless @provider.respond_to?(:encode_queries)

      checked("the query's vector", query(text))
    end

    # @param texts [Array<String>]
    # @return [Array<Array<Float>>] their vectors, in their order; the provider is not asked for no texts
    # @raise [InvalidInputError] `texts` is not a list of texts of valid UTF-8
    # @raise [EmbeddingError] the provider failed, or gave another number of vectors or an unusable one
    def encode(texts)
      checked = Validation.texts("texts", texts)
      checked.empty? ? [] : encode_checked(checked)
    end

    # The nearest-neighbour query for a text.
    #
    # @param text [String] the query
    # @param topk [Integer] how many documents at the most; at least 1
    # @param similarity [Float] the lowest cosine that counts, -1 to 1
    # @return [AdapterKit::MatchDenseExpr]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [EmbeddingError] the provider failed or gave an unusable vector
    def match_dense(text, topk:, similarity:)
      topk = Validation.integer("topk", topk, 1)
      similarity = Validation.number("similarity", similarity, -1.0, 1.0)
      vector = encode_queries(text)
      AdapterKit::MatchDenseExpr.new(field: "q_#{vector.size}_vec", vector:, topn: topk,
                                     extra_options: { "similarity" => similarity })
    end

    private

    # What a provider tells of itself; an attribute of another type is one of its own.
    def told(provider, name, kind)
      value = provider.public_send(name) if provider.respond_to?(name) && provider.method(name).arity.between?(-1, 0)
      value.is_a?(kind) ? value : nil
    end

    def encode_checked(texts, name = nil)
      answer = ask(texts)
      unless answer.is_a?(::Array)
        raise Validation.failure("the embedding provider's answer", answer, "a list of vectors", EmbeddingError)
      end
      if answer.size != texts.size
        raise EmbeddingError, "the embedding provider gave #{answer.size} vectors for #{texts.size} texts"
      end

      answer.each_with_index.map { |vector, index| checked(name || "vectors[#{index}]", vector) }
    end

    def ask(texts)
      if @provider.respond_to?(:encode)
        guard { @provider.encode(texts) }
      elsif @provider.respond_to?(:call)
        guard { @provider.call(texts) }
      else
        texts.map { |text| query(text) }
      end
    end

    # The provider's answer for one query; of a list of one vector, that vector.
    def query(text)
      answer = guard { @provider.encode_queries(text) }
      answer.is_a?(::Array) && answer.size == 1 && answer[0].is_a?(::Array) ? answer[0] : answer
    end

    def guard
      yield
    rescue Error
      raise
    rescue StandardError => e
      raise EmbeddingError, "the embedding provider failed: #{Validation.foreign_error(e)}"
    end

    def checked(name, value)
      vector = Validation.vector(name, value, error: EmbeddingError)
      raise EmbeddingError, "#{name} must not be zero: its squared norm is 0" if Numeric.dot(vector, vector).zero?

      @lock.synchronize { @dimension ||= vector.size }
      if vector.size != @dimension
        raise EmbeddingError, "#{name} must have #{@dimension} components, not #{vector.size}"
      end

      vector
    end
  end
end
