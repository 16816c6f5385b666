# frozen_string_literal: true

require_relative "../log_lines"
require_relative "../scripted_service"

# Operations of what network clients decide without a network (RNK-4, EMB-2, OS-3).
module Conformance
  # The bytes of answers, and what is read from them.
  module NetworkBytes
    module_function

    # @param piece [String, Hash] a text, `{"hex": …}` or `{"repeat": [text, times]}`
    def of(piece)
      case piece
      when String then piece.b
      else piece.key?("hex") ? [piece["hex"]].pack("H*") : piece["repeat"][0].b * piece["repeat"][1]
      end
    end

    def cut(whole, size)
      (0...whole.bytesize).step(size).map { |start| whole.byteslice(start, size) }
    end

    def response(pieces, max_response_bytes)
      waiting = pieces.reject(&:empty?)
      read = lambda do |most|
        piece = waiting.shift || "".b
        waiting.unshift(piece.byteslice(most..)) if piece.bytesize > most
        piece.byteslice(0, most)
      end
      answer = HybridSearch::Client::ResponseReader.new(read, max_response_bytes).answer
      { "status" => answer.status, "retry_after" => answer.retry_after,
        "body" => answer.body.dup.force_encoding(Encoding::UTF_8) }
    rescue HybridSearch::Client::ExchangeError => e
      { "problem" => e.problem, "retryable" => e.retryable }
    end
  end

  operation("network.delays") do |params, given, _trace|
    timing = HybridSearch::Client::Timing.new(now: -> { params["now"].to_f }, chance: -> { params["chance"].to_f })
    numbers = params.values_at("max_retries", "backoff", "max_backoff")
    policy = HybridSearch::Client::RetryPolicy.new(*numbers, timing)
    given["failed"].map { |attempt, retry_after| policy.delay(attempt, retry_after) }
  end

  operation("network.retryable") do |_params, given, _trace|
    given["statuses"].map { |status| HybridSearch::Client::RetryPolicy.retryable?(status) }
  end

  operation("network.endpoint") do |_params, given, _trace|
    read = HybridSearch::Client::Endpoint.new("url", given["url"])
    %w[secure host port authority target shown].to_h { |name| [name, read.public_send(name)] }
  end

  operation("network.api_key") do |params, given, _trace|
    give = lambda do
      raise "secret words" if given["key"] == "raise"

      given["key"]
    end
    given_key = give if given.key?("key")
    before = ENV.to_h
    ENV.update(given.fetch("environment", {}))
    read = HybridSearch::Client::ApiKey.new(given_key, given["variable"], params["api_key_header"])
    read.headers(read.read)
  ensure
    ENV.replace(before) if before
  end

  # Steps with the addresses of a cluster and its clock.
  class AddressSteps
    def initialize(count)
      @seconds = 0.0
      @addresses = HybridSearch::Stores::OpenSearch::OpenSearchAddresses.new(count, -> { @seconds })
    end

    def step(method, argument)
      case method
      when "choose" then return Array.new(argument) { @addresses.choose }
      when "wait" then @seconds += argument
      when "fail" then @addresses.fail(argument)
      when "succeed" then @addresses.succeed(argument)
      end
      nil
    end
  end

  operation("network.addresses") do |params, given, _trace|
    steps = AddressSteps.new(params.fetch("count", 3))
    given["turns"].map { |method, argument| steps.step(method, argument) }
  end

  operation("network.key_shown") do |_params, given, _trace|
    given["texts"].map { |text| HybridSearch::Client::ApiKey.in?(given["key"], text) }
  end

  operation("network.rerank_answer") do |params, given, _trace|
    client = HybridSearch::HttpReranker.new("http://localhost/rerank", "model", shape: params["shape"])
    client.read(given["answer"], given["count"])
  end

  operation("network.embedding_answer") do |params, given, _trace|
    client = HybridSearch::OpenAiEmbedder.new("http://localhost/v1/", "model", dimension: params["dimension"])
    client.read(given["answer"], given["count"])
  end

  operation("network.answer_json") do |params, given, _trace|
    body = given["pieces"].map { |piece| NetworkBytes.of(piece) }.join.b
    { "value" => HybridSearch::Client::AnswerJson.parse(body, params["max_response_bytes"]) }
  rescue HybridSearch::Client::ExchangeError => e
    { "problem" => e.problem, "retryable" => e.retryable }
  end

  operation("network.response") do |params, given, _trace|
    pieces = given["pieces"].map { |piece| NetworkBytes.of(piece) }
    whole = pieces.join
    splits = [pieces, [whole], NetworkBytes.cut(whole, 1), NetworkBytes.cut(whole, 7)]
    outcomes = splits.map { |split| NetworkBytes.response(split, params["max_response_bytes"]) }
    outcomes.uniq.size == 1 ? outcomes[0] : outcomes
  end

  operation("network.secrets") do |_params, given, _trace|
    HybridSearch::Client::Endpoint.new("url", given["url"]).secrets
  end

  operation("network.service_words") do |_params, given, _trace|
    body = given["pieces"].map { |piece| NetworkBytes.of(piece) }.join.b
    HybridSearch::Client::ServiceWords.find(body, given["secrets"])
  end

  operation("network.options") do |params, given, _trace|
    clients = { "reranker" => HybridSearch::HttpReranker, "embedder" => HybridSearch::OpenAiEmbedder }
    clients.transform_values do |client|
      client.new(given["url"], given["model"], **params.fetch("options", {}).transform_keys(&:to_sym))
      true
    rescue HybridSearch::Error => e
      [e.class.name.split("::").last, e.message]
    end
  end

  # The clients of services whose answers cases say.
  module NetworkCalls
    CLIENTS = { "embedder" => HybridSearch::OpenAiEmbedder, "reranker" => HybridSearch::HttpReranker }.freeze

    module_function

    def client(params, given, service)
      options = params.fetch("options", {}).transform_keys(&:to_sym)
      options[:timing] = service.timing(params.fetch("chance", 0.0))
      options[:api_key] = -> { params["key"] } if params["key"]
      client = CLIENTS.fetch(given["client"]).new(given["url"], given["model"], **options)
      client.instance_variable_get(:@client).instance_variable_set(:@exchange, service)
      client
    end

    def called(client, method, *arguments)
      return client.public_send(method, *arguments) unless method == "limited_to"

      limited = client.limited_to(arguments[0])
      arguments.drop(1).map { |each| limited.call(*each) }
    rescue HybridSearch::Error => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end
  end

  operation("network.calls") do |params, given, _trace|
    service = ScriptedService.new(given["answers"])
    client = NetworkCalls.client(params, given, service)
    target = client.instance_variable_get(:@endpoint).target
    answers = nil
    lines = LogLines.kept { answers = given["calls"].map { |call| NetworkCalls.called(client, *call) } }
    { "target" => target, "answers" => answers, "sent" => service.sent, "slept" => service.slept,
      "lines" => lines.to_a }
  end
end
