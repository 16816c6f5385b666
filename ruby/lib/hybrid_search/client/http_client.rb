# frozen_string_literal: true

module HybridSearch
  module Client
    # A client of one endpoint: sends JSON to a service, with timeouts, retries, a concurrency bound and a key that is
    # never shown. Safe to share between threads.
    #
    # Every request has a connection of its own. Requests may be repeated, so repetition must do no harm. TLS trusts the
    # system's authorities, or those of the file and folder that the environment variables `SSL_CERT_FILE` and
    # `SSL_CERT_DIR` name.
    #
    # Options of clients of services:
    #
    # - api_key: a callable that returns the key, called for each call; nil means no key, or the one of `api_key_env`
    # - api_key_env: the name of the environment variable that contains the key
    # - api_key_header: the header of the key: a bearer token in `Authorization`, the plain key in any other header
    # - connect_timeout: seconds for making a connection, TLS included; above 0
    # - read_timeout: seconds of silence while waiting for bytes; above 0
    # - deadline: seconds for a whole call, including all batches, attempts and waits; above 0
    # - max_retries: maximum number of retries of a request after 429, 5xx, a refused or cut connection, or a timeout
    # - backoff: seconds before the first retry, doubled for each further one; half of it is random
    # - max_backoff: the longest such wait; `Retry-After` may ask for a longer one, which is respected up to the
    #   deadline
    # - max_concurrency: maximum number of requests at the same time, over all threads
    # - max_response_bytes: the largest body of a response; text and values of its JSON may take twice as much memory
    # - timing: clocks, sleep and randomness, for tests
    class HttpClient
      LONGEST = 86_400.0
      DEEPEST = 20
      LARGEST_INTEGER = 2**53
      DEFAULTS = {
        api_key: nil, api_key_env: nil, api_key_header: "Authorization", connect_timeout: 5.0, read_timeout: 15.0,
        deadline: 25.0, max_retries: 2, backoff: 0.5, max_backoff: 8.0, max_concurrency: 4,
        max_response_bytes: 33_554_432, timing: nil
      }.freeze
      OPTIONS = DEFAULTS.keys.map(&:to_s).freeze

      # The outcome of an attempt: the interpreted response, or the problem as a message; then whether another attempt
      # may succeed, and when, if the service stated it.
      Attempt = Struct.new(:value, :problem, :retryable, :retry_after)
      private_constant :Attempt

      # @param name [String]
      # @param value [Hash] texts, finite numbers, booleans, nils, lists and objects, up to 20 levels deep
      # @return [Hash{String=>Object}] a copy
      # @raise [InvalidInputError] the value is not such an object
      def self.plain(name, value)
        fields = Base::Validation.mapping(name, value)
        fields.to_h { |field, item| [field, plain_item("#{name}[#{Base::Validation.describe(field)}]", item, 1)] }
      end

      def self.plain_item(name, value, depth)
        raise InvalidInputError, "#{name} must not be nested so deeply" if depth > DEEPEST

        case value
        when ::Hash
          Base::Validation.mapping(name, value).to_h do |field, item|
            [field, plain_item("#{name}[#{Base::Validation.describe(field)}]", item, depth + 1)]
          end
        when ::Array then value.each_with_index.map { |item, index| plain_item("#{name}[#{index}]", item, depth + 1) }
        when ::String then Base::Validation.text(name, value)
        when nil, true, false then value
        when ::Integer then Base::Validation.integer(name, value, -LARGEST_INTEGER, LARGEST_INTEGER)
        when ::Float then Base::Validation.number(name, value)
        else raise Base::Validation.failure(name, value, "plain JSON data")
        end
      end
      private_class_method :plain_item

      # @param service [String] the kind of service, for messages: "the rerank service" …
      # @param endpoint [Endpoint] the address of the service
      # @param error [Class] the class of the errors
      # @param options [Hash{Symbol=>Object}] see above
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def initialize(service, endpoint, error, **options)
        Base::Validation.known("option", options.keys, OPTIONS)
        given = DEFAULTS.merge(options)
        timing = given[:timing].nil? ? Timing.new : given[:timing]
        raise Base::Validation.failure("timing", timing, "a Timing") unless timing.is_a?(Timing)

        @service = service
        @endpoint = endpoint
        @error = error
        @timing = timing
        @api_key = ApiKey.new(given[:api_key], given[:api_key_env], given[:api_key_header])
        @limits = limits(given)
        @exchange = ClientExchange.new(endpoint, @limits)
        @retry_policy = RetryPolicy.new(given[:max_retries], given[:backoff], given[:max_backoff], timing)
        @places = ConcurrencyBound.new(given[:max_concurrency])
      end

      # @return [String]
      def inspect
        "#<#{self.class} #{@endpoint.shown}>"
      end

      # @return [Integer] the maximum memory in bytes of a response and the data that is built from it
      def most_memory
        AnswerJson.most_memory(@limits.max_response_bytes)
      end

      # @param most [Float, nil] maximum number of seconds, in addition to the limit of the options; nil sets no other
      #   limit
      # @return [Deadline] the deadline of a call that begins now
      def deadline_from_now(most = nil)
        seconds = most.nil? ? @limits.deadline : [@limits.deadline, most].min
        Deadline.new(@limits.with_deadline(seconds), @timing.clock, @timing.clock.call + seconds)
      end

      # Send JSON to the service and return its interpreted response.
      #
      # @param payload [Object] plain data
      # @param deadline [Deadline] the time by which the response must be complete
      # @yieldparam answer [Object] the plain data of the response
      # @yieldreturn [Object] the interpreted response; or the block raises an error of the class `error`
      # @return [Object]
      # @raise [ConfigurationError] a key is configured but missing
      # @raise [Error] of the class `error`: the service cannot be reached, was late, refused, or returned nothing
      #   usable, after all attempts that are allowed and fit before the deadline
      def post_json(payload, deadline, &)
        body = Base::JsonWriter.write(payload)
        attempt = 1
        loop do
          outcome = attempt(body, deadline, &)
          return outcome.value if outcome.problem.nil?

          failure("#{outcome.problem}#{attempts(attempt)}") if !outcome.retryable || attempt > @retry_policy.max_retries
          delay = @retry_policy.delay(attempt, outcome.retry_after)
          failure("#{outcome.problem}#{attempts(attempt)}, too late for another") if delay >= deadline.left
          Base::Log.warning(
            "#{outcome.problem}; attempt #{attempt + 1} follows in #{Base::Numeric.fixed1(delay)} seconds"
          )
          @timing.sleep.call(delay) if delay.positive?
          attempt += 1
        end
      end

      private

      def attempt(body, deadline, &)
        key = @api_key.read
        judge(exchange(body, key, deadline), key, deadline, &)
      rescue ExchangeError => e
        failed(e.problem, retryable: e.retryable)
      end

      # Return the response to a request, sent once a place is free, if enough time is left then.
      def exchange(body, key, deadline)
        waiting = deadline.left - deadline.least
        raise deadline.past if waiting.negative?
        raise no_place unless @places.enter(waiting)

        begin
          raise no_place if deadline.left < deadline.least

          @exchange.post(body, headers(key), deadline)
        ensure
          @places.leave
        end
      end

      def judge(answer, key, deadline, &)
        status = answer.status
        secrets = [key, *@endpoint.secrets].compact
        return read(answer.body, secrets, deadline, &) if status <= 299
        return failed("returned status #{status}, and redirects are not followed") if status <= 399

        words = ServiceWords.find(answer.body, secrets)
        told = "returned status #{status}#{": #{words}" if words}"
        failed(told, retryable: RetryPolicy.retryable?(status), retry_after: answer.retry_after)
      end

      def read(body, secrets, deadline)
        value = AnswerJson.parse(body, @limits.max_response_bytes, deadline)
        Attempt.new(yield(value))
      rescue @error => e
        return failed("returned an answer that is not usable") if ServiceWords.show?(e.message, secrets)

        Attempt.new(nil, e.message)
      end

      def failed(problem, retryable: false, retry_after: nil)
        Attempt.new(nil, "#{@service} at #{@endpoint.shown} #{problem}", retryable, retry_after)
      end

      def no_place
        calls = @places.places == 1 ? "1 call" : "#{@places.places} calls"
        ExchangeError.new("had #{calls} under way until the deadline", retryable: false)
      end

      def headers(key)
        { "Content-Type" => "application/json", "Accept" => "application/json", "Accept-Encoding" => "identity",
          "User-Agent" => "hybrid-search" }.merge(@api_key.headers(key))
      end

      def failure(message)
        raise @error, message, cause: nil
      end

      def limits(given)
        Limits.new(connect_timeout: seconds("connect_timeout", given[:connect_timeout]),
                   read_timeout: seconds("read_timeout", given[:read_timeout]),
                   deadline: seconds("deadline", given[:deadline]),
                   max_response_bytes: Base::Validation.integer("max_response_bytes", given[:max_response_bytes], 1))
      end

      def seconds(name, value)
        seconds = Base::Validation.number(name, value)
        return seconds if seconds.positive? && seconds <= LONGEST

        raise InvalidInputError,
              "#{name} must be above 0, at most a day (86400), not #{Base::Validation.describe(value)}"
      end

      def attempts(count)
        count == 1 ? "" : ", #{count} attempts"
      end
    end
  end
end
