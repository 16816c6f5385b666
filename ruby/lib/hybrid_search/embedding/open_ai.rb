# frozen_string_literal: true

module HybridSearch
  # An embedding provider behind HTTP, the endpoint that OpenAI made common (EMB-2): posts
  # `{model, input, encoding_format}` to `{base_url}/embeddings`. A provider for {Embedding}.
  #
  # OpenAI, vLLM, Text Embeddings Inference, Ollama and many more serve it. Safe to use from several threads.
  class OpenAiEmbedder
    OPTIONS = ["base_url", "model", "dimension", "batch_size", "encoding_format", "query_prefix", "passage_prefix",
               "extra", *Client::HttpClient::OPTIONS].freeze
    OWN_FIELDS = %w[model input encoding_format].freeze
    FORMATS = %w[float base64].freeze
    # The maximum memory, in bytes, that decoding takes for each character of base64.
    PER_CHARACTER = 16
    private_constant :PER_CHARACTER

    # @return [String] the name of the model, for caches
    attr_reader :model
    # @return [Integer, nil] the number of components that every vector must have; nil unless it was given
    attr_reader :dimension

    # @param base_url [String] the address without `/embeddings`: `https://api.openai.com/v1`,
    #   `http://localhost:8000/v1` …
    # @param model [String] the name of the model
    # @param dimension [Integer, nil] the number of components that every vector must have; nil: that of the
    #   first vector is used
    # @param batch_size [Integer] the maximum number of texts in one request, at least 1
    # @param encoding_format [String] "float", or "base64" (32-bit floats), which is shorter and much faster to read
    # @param query_prefix [String] the text before every query, for models that need one ("query: " …)
    # @param passage_prefix [String] the text before every other text
    # @param extra [Hash, nil] additional fields of each request, plain data; `{"dimensions" => 256}` asks OpenAI for
    #   shorter vectors
    # @param options [Hash{Symbol=>Object}] see {Client::HttpClient}
    # @raise [InvalidInputError] an option is unknown or not acceptable
    def initialize(base_url, model, dimension: nil, batch_size: 32, encoding_format: "float", query_prefix: "",
                   passage_prefix: "", extra: nil, **options)
      Base::Validation.known("option", options.keys, OPTIONS)
      Client::Endpoint.new("base_url", base_url)
      path, question_mark, query = Base::Validation.text("base_url", base_url).partition("?")
      @endpoint = Client::Endpoint.new("base_url", "#{path.gsub(%r{/+\z}, "")}/embeddings#{question_mark}#{query}")
      @model = Base::Validation.text("model", model)
      @dimension = dimension.nil? ? nil : Base::Validation.integer("dimension", dimension, 1)
      @batch_size = Base::Validation.integer("batch_size", batch_size, 1)
      @encoding_format = Base::Validation.choice("encoding_format", encoding_format, FORMATS)
      @query_prefix = Base::Validation.text("query_prefix", query_prefix)
      @passage_prefix = Base::Validation.text("passage_prefix", passage_prefix)
      @extra = Client::HttpClient.plain("extra", extra.nil? ? {} : extra)
      own = @extra.keys.find { |name| OWN_FIELDS.include?(name) }
      raise InvalidInputError, "extra must not hold #{Base::Validation.describe(own)}: the client sets it" if own

      @client = Client::HttpClient.new("the embedding service", @endpoint, EmbeddingError, **options)
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@endpoint.shown}>"
    end

    # @param text [String] one query
    # @return [Array<Float>] its vector
    # @raise [InvalidInputError] `text` is not a text of valid UTF-8
    # @raise [ConfigurationError] a key is configured but missing
    # @raise [EmbeddingError] the service failed or was late, or returned no usable vector
    def encode_queries(text)
      vectors(["#{@query_prefix}#{Base::Validation.text("text", text)}"])[0]
    end

    # @param texts [Array<String>]
    # @return [Array<Array<Float>>] their vectors, in their order; without texts the service is not called
    # @raise [InvalidInputError] `texts` is not a list of texts of valid UTF-8
    # @raise [ConfigurationError] a key is configured but missing
    # @raise [EmbeddingError] the service failed or was late, or did not return one usable vector for each text
    def encode(texts)
      vectors(Base::Validation.texts("texts", texts).map { |text| "#{@passage_prefix}#{text}" })
    end

    # @param answer [Object] the response of the service, as plain data, in any order
    # @param count [Integer] the number of texts that were sent
    # @return [Array<Array<Float>>] the vectors of the response, one for each text, in the order of the texts
    # @raise [EmbeddingError] the data is not one usable vector for each text
    def read(answer, count)
      data = answer.is_a?(::Hash) ? answer["data"] : nil
      failure("returned no list of data") unless data.is_a?(::Array)
      check_memory(data)
      vectors = {}
      data.each_with_index do |entry, place|
        failure("returned data that is not an object: data[#{place}]") unless entry.is_a?(::Hash)
        index = index("data[#{place}].index", entry["index"], count)
        failure("returned two vectors for the text of index #{index}") if vectors.key?(index)
        vectors[index] = vector("data[#{place}].embedding", entry["embedding"])
      end
      (0...count).map do |index|
        vectors.fetch(index) do
          failure("returned #{vectors.size} vectors for #{count} texts: index #{index} is missing")
        end
      end
    end

    private

    # Refuse base64 whose components would take more memory than responses may; components in JSON have been counted.
    def check_memory(data)
      embeddings = data.grep(::Hash).map { |entry| entry["embedding"] }
      characters = embeddings.grep(::String).sum(&:length) # whole numbers
      return if PER_CHARACTER * characters <= @client.most_memory

      failure("returned vectors that would take too much memory")
    end

    def vectors(texts)
      deadline = @client.deadline_from_now
      Base::Slices.batches(texts, @batch_size).flat_map do |batch|
        payload = { "model" => @model, "input" => batch, "encoding_format" => @encoding_format }.merge(@extra)
        @client.post_json(payload, deadline) { |answer| read(answer, batch.size) }
      end
    end

    def index(name, value, count)
      Base::Validation.integer(name, value, 0, count - 1)
    rescue InvalidInputError => e
      failure("returned unusable data: #{e.message}")
    end

    def vector(name, value)
      components = value.is_a?(::String) ? decoded(name, value) : value
      begin
        Base::Validation.vector(name, components, dimension: @dimension, error: EmbeddingError)
      rescue EmbeddingError, DimensionMismatchError => e
        failure("returned unusable data: #{e.message}")
      end
    end

    # Return the components in base64 text: 32-bit floats, the lowest byte first.
    def decoded(name, value)
      packed = begin
        value.unpack1("m0")
      rescue ArgumentError
        ""
      end
      if packed.empty? || (packed.bytesize % 4).positive?
        failure("returned unusable data: #{name} is not base64 of 32-bit floats")
      end
      packed.unpack("e*")
    end

    def failure(problem)
      raise EmbeddingError, "the embedding service at #{@endpoint.shown} #{problem}"
    end
  end
end
