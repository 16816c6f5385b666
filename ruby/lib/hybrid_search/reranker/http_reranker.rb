# frozen_string_literal: true

module HybridSearch
  # Calls a rerank model over HTTP (RNK-4), as Jina, Cohere, vLLM and Text Embeddings Inference serve it: a model for
  # {Reranker#rerank_by_model}, {PartialRerank} and all other places that take a rerank model.
  #
  # Its scores are the service's own, in the order of the texts; the caller scales them (RNK-3). Safe to share between
  # threads.
  #
  # Two shapes of requests are known:
  #
  # - standard: sends `{model, query, documents, top_n}`, receives `{results: [{index, relevance_score}, …]}`
  # - tei: sends `{query, texts}`, receives `[{index, score}, …]`, as Text Embeddings Inference does
  class HttpReranker
    OPTIONS = ["url", "model", "shape", "batch_size", "extra", *Client::HttpClient::OPTIONS].freeze
    SHAPES = %w[standard tei].freeze
    OWN_FIELDS = { "standard" => %w[model query documents top_n], "tei" => %w[query texts] }.freeze

    # @return [String] the name of the model; may be empty
    attr_reader :model

    # @param url [String] the whole address: `https://api.cohere.com/v2/rerank`, `http://localhost:8000/v1/rerank` …
    # @param model [String] the name of the model, required by the standard shape
    # @param shape [String] "standard" or "tei"
    # @param batch_size [Integer] maximum number of texts in a request, at least 1; many servers of the tei shape accept
    #   at most 32
    # @param extra [Hash, nil] further fields of each request, plain data
    # @param options [Hash{Symbol=>Object}] see {Client::HttpClient}
    # @raise [InvalidInputError] an option is unknown or not acceptable
    def initialize(url, model = "", shape: "standard", batch_size: 64, extra: nil, **options)
      Base::Validation.known("option", options.keys, OPTIONS)
      @endpoint = Client::Endpoint.new("url", url)
      @model = Base::Validation.text("model", model)
      @shape = Base::Validation.choice("shape", shape, SHAPES)
      if @shape == "standard" && @model.empty?
        raise InvalidInputError, "model must not be empty: the standard shape names the model in each request"
      end

      @batch_size = Base::Validation.integer("batch_size", batch_size, 1)
      @extra = Client::HttpClient.plain("extra", extra.nil? ? {} : extra)
      own = @extra.keys.find { |name| OWN_FIELDS.fetch(@shape).include?(name) }
      raise InvalidInputError, "extra must not hold #{Base::Validation.describe(own)}: the client sets it" if own

      @client = Client::HttpClient.new("the rerank service", @endpoint, RerankError, **options)
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@endpoint.shown}>"
    end

    # @param query [String]
    # @param texts [Array<String>]
    # @return [Array<Float>] the service's scores of the texts, in their order; without texts the service is not called
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [ConfigurationError] a key is configured but missing
    # @raise [RerankError] the service failed or was late, or its results are not one finite score for each text
    def similarity(query, texts)
      scores(query, texts, @client.deadline_from_now)
    end

    # @param seconds [Float] the time limit from now, in addition to the option `deadline`
    # @return [#call] the same as {#similarity}, for calls that together end in that time (RNK-7)
    def limited_to(seconds)
      deadline = @client.deadline_from_now(seconds)
      ->(query, texts) { scores(query, texts, deadline) }
    end

    # @param answer [Object] the response of the service, as plain data
    # @param count [Integer] the number of texts it was sent
    # @return [Array<Float>] the scores of the response, one for each text, in any order of its results
    # @raise [RerankError] the results are not one finite score for each text
    def read(answer, count)
      inner = answer.is_a?(::Hash) ? answer["results"] : nil
      results = @shape == "standard" ? inner : answer
      failure("returned no list of results") unless results.is_a?(::Array)
      scores = {}
      results.each_with_index { |result, place| read_result(result, place, count, scores) }
      (0...count).map do |index|
        scores.fetch(index) do
          failure("returned #{scores.size} results for #{count} texts: index #{index} is missing")
        end
      end
    end

    private

    def scores(query, texts, deadline)
      query = Base::Validation.text("query", query)
      Base::Slices.batches(Base::Validation.texts("texts", texts), @batch_size).flat_map do |batch|
        @client.post_json(payload(query, batch), deadline) { |answer| read(answer, batch.size) }
      end
    end

    def payload(query, texts)
      return { "query" => query, "texts" => texts }.merge(@extra) if @shape == "tei"

      { "model" => @model, "query" => query, "documents" => texts, "top_n" => texts.size }.merge(@extra)
    end

    def read_result(result, place, count, scores)
      failure("returned a result that is not an object: results[#{place}]") unless result.is_a?(::Hash)
      field = @shape == "standard" ? "relevance_score" : "score"
      index = checked { Base::Validation.integer("results[#{place}].index", result["index"], 0, count - 1) }
      failure("returned two results for the text of index #{index}") if scores.key?(index)
      scores[index] = checked { Base::Validation.number("results[#{place}].#{field}", result[field]) }
    end

    def checked
      yield
    rescue InvalidInputError => e
      failure("returned an unusable result: #{e.message}")
    end

    def failure(problem)
      raise RerankError, "the rerank service at #{@endpoint.shown} #{problem}"
    end
  end
end
