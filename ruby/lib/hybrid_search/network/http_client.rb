# frozen_string_literal: true

require "json"

module HybridSearch
  # A client of one endpoint: JSON to a service and back, with timeouts, retries, a concurrency bound and a key that
  # nothing shows. Safe to use from several threads.
  #
  # Every request has its own connection. Requests must be such that repeating them does no harm.
  #
  # Options of clients of services:
  #
  # - api_key: a callable that gives the key, asked for each call; nil: no key, or the one of `api_key_env`
  # - api_key_env: the name of the environment variable that holds the key
  # - api_key_header: the header that carries it; with `Authorization` as a bearer token, else as it is
  # - connect_timeout: seconds for making a connection, TLS included; above 0
  # - read_timeout: seconds of silence while waiting for bytes; above 0
  # - deadline: seconds for a whole call, all batches, attempts and waits; above 0
  # - max_retries: how often a request is repeated after 429, 5xx, a refused or cut connection, a timeout
  # - backoff: seconds before the first repetition, doubled for each further one; half of it is up to chance
  # - max_backoff: the longest such wait; `Retry-After` may ask for more and gets it, up to the deadline
  # - max_concurrency: how many requests may be under way at once, over all threads
  # - max_response_bytes: the largest answer
  # - timing: clocks, sleep and chance, for tests
  class HttpClient
    LARGEST_ERROR = 65_536
    LONGEST = 86_400.0
    DEEPEST = 20
    LARGEST_INTEGER = 2**53
    DEFAULTS = {
      api_key: nil, api_key_env: nil, api_key_header: "Authorization", connect_timeout: 5.0, read_timeout: 15.0,
      deadline: 25.0, max_retries: 2, backoff: 0.5, max_backoff: 8.0, max_concurrency: 4,
      max_response_bytes: 33_554_432, timing: nil
    }.freeze
    OPTIONS = DEFAULTS.keys.map(&:to_s).freeze

    # @param name [String]
    # @param value [Hash] texts, finite numbers, booleans, nils, lists and objects, at most 20 levels deep
    # @return [Hash{String=>Object}] a copy
    # @raise [InvalidInputError] it is no such
    def self.plain(name, value)
      fields = Validation.mapping(name, value)
      fields.to_h { |field, item| [field, plain_item("#{name}[#{Validation.describe(field)}]", item, 1)] }
    end

    def self.plain_item(name, value, depth)
      raise InvalidInputError, "#{name} must not be nested so deeply" if depth > DEEPEST

      case value
      when ::Hash
        Validation.mapping(name, value).to_h do |field, item|
          [field, plain_item("#{name}[#{Validation.describe(field)}]", item, depth + 1)]
        end
      when ::Array then value.each_with_index.map { |item, index| plain_item("#{name}[#{index}]", item, depth + 1) }
      when ::String then Validation.text(name, value)
      when nil, true, false then value
      when ::Integer then Validation.integer(name, value, -LARGEST_INTEGER, LARGEST_INTEGER)
      when ::Float then Validation.number(name, value)
      else raise Validation.failure(name, value, "plain JSON data")
      end
    end
    private_class_method :plain_item

    # @param service [String] what the endpoint is, for messages: "the rerank service" …
    # @param endpoint [Endpoint] where it is
    # @param error [Class] the class of the errors
    # @param options [Hash{Symbol=>Object}] see above
    # @raise [InvalidInputError] an option is unknown or not acceptable
    def initialize(service, endpoint, error, **options)
      Validation.known("option", options.keys, OPTIONS)
      given = DEFAULTS.merge(options)
      timing = given[:timing].nil? ? Timing.new : given[:timing]
      raise Validation.failure("timing", timing, "a Timing") unless timing.is_a?(Timing)

      @service = service
      @endpoint = endpoint
      @error = error
      @timing = timing
      @api_key = ApiKey.new(given[:api_key], given[:api_key_env], given[:api_key_header])
      @deadline = seconds("deadline", given[:deadline])
      @exchange = Exchange.new(endpoint, limits(given), timing)
      @retry_policy = RetryPolicy.new(given[:max_retries], given[:backoff], given[:max_backoff], timing)
      @places = ConcurrencyBound.new(given[:max_concurrency])
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@endpoint.shown}>"
    end

    # @return [Float] when, by the clock, a call that begins now must have ended
    def deadline_from_now
      @timing.clock.call + @deadline
    end

    # @param payload [Object] plain data
    # @param deadline_at [Float] when the answer must be here, as {#deadline_from_now} gave it
    # @return [Object] what the service answers to JSON, as plain data
    # @raise [ConfigurationError] there is no key where one was promised
    # @raise [Error] of the class `error`: the service cannot be reached, was late, refused, or answered no JSON; after
    #   as many attempts as are allowed and fit before the deadline
    def post_json(payload, deadline_at)
      body = JSON.generate(payload)
      attempt = 1
      loop do
        key = @api_key.read
        answer, problem, retryable = try(body, key, deadline_at)
        return parse(answer.body) if answer && problem.nil?

        failure("#{problem}#{attempts(attempt)}") if !retryable || attempt > @retry_policy.max_retries
        delay = @retry_policy.delay(attempt, answer&.retry_after)
        late = @timing.clock.call + delay >= deadline_at
        failure("#{problem}#{attempts(attempt)}, too late for another") if late
        @timing.sleep.call(delay) if delay.positive?
        attempt += 1
      end
    end

    private

    # An answer, or what went wrong (the answer, if any, then tells more) and whether to try again.
    def try(body, key, deadline_at)
      unless @places.enter(deadline_at - @timing.clock.call)
        return [nil, "had too many calls under way until the deadline", false]
      end

      begin
        answer = @exchange.post(body, headers(key), deadline_at)
      rescue ExchangeError => e
        return [nil, e.problem, e.retryable]
      ensure
        @places.leave
      end
      judge(answer, key)
    end

    def judge(answer, key)
      status = answer.status
      return [answer, nil, false] if status.between?(200, 299)

      redirect = status.between?(300, 399)
      return [answer, "answered status #{status}, and redirects are not followed", false] if redirect

      [answer, "answered status #{status}#{words(answer.body, key)}", RetryPolicy.retryable?(status)]
    end

    def headers(key)
      { "Content-Type" => "application/json", "Accept" => "application/json", "Accept-Encoding" => "identity",
        "User-Agent" => "hybrid-search" }.merge(@api_key.headers(key))
    end

    def parse(body)
      text = body.dup.force_encoding(Encoding::UTF_8)
      failure("answered something that is no JSON") unless text.valid_encoding?
      JSON.parse(text, create_additions: false)
    rescue JSON::JSONError
      failure("answered something that is no JSON")
    end

    # What the service says of an error, if it says so in JSON, unless its words show parts of the key.
    def words(body, key)
      text = (body.byteslice(0, LARGEST_ERROR) || "").force_encoding(Encoding::UTF_8)
      said = (StrictJson.parse_object(text) if text.valid_encoding?) || {}
      error = said["error"]
      inner = error.is_a?(::Hash) ? error["message"] : error
      words = [inner, said["message"], said["detail"]].find { |item| item.is_a?(::String) && !item.empty? }
      words.nil? || ApiKey.in?(key, words) ? "" : ": #{Validation.describe(words)}"
    end

    def failure(problem)
      raise @error, "#{@service} at #{@endpoint.shown} #{problem}", cause: nil
    end

    def limits(given)
      Limits.new(connect_timeout: seconds("connect_timeout", given[:connect_timeout]),
                 read_timeout: seconds("read_timeout", given[:read_timeout]),
                 deadline: @deadline,
                 max_response_bytes: Validation.integer("max_response_bytes", given[:max_response_bytes], 1))
    end

    def seconds(name, value)
      seconds = Validation.number(name, value)
      return seconds if seconds.positive? && seconds <= LONGEST

      raise InvalidInputError, "#{name} must be above 0, at most a day (86400), not #{Validation.describe(value)}"
    end

    def attempts(count)
      count == 1 ? "" : ", #{count} attempts"
    end
  end
end
