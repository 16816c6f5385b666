# frozen_string_literal: true

require "net/http"
require "timeout"

module HybridSearch
  # A request that got no answer.
  class ExchangeError < StandardError
    # @return [String] what the service did or did not do, for messages
    attr_reader :problem
    # @return [Boolean] whether another attempt may succeed
    attr_reader :retryable

    def initialize(problem, retryable: true)
      super(problem)
      @problem = problem
      @retryable = retryable
    end
  end

  # What a service answered.
  class HttpAnswer
    # @return [Integer] 100 to 599
    attr_reader :status
    # @return [String, nil] the value of `Retry-After`
    attr_reader :retry_after
    # @return [String] the bytes as sent
    attr_reader :body

    def initialize(status:, retry_after:, body:)
      @status = status
      @retry_after = retry_after
      @body = body
      freeze
    end
  end

  # How long and how much.
  class Limits
    # @return [Float] seconds for making a connection, TLS included
    attr_reader :connect_timeout
    # @return [Float] seconds of silence while waiting for bytes
    attr_reader :read_timeout
    # @return [Float] seconds that the deadline was set at, for messages
    attr_reader :deadline
    # @return [Integer] the largest body
    attr_reader :max_response_bytes

    def initialize(connect_timeout:, read_timeout:, deadline:, max_response_bytes:)
      @connect_timeout = connect_timeout
      @read_timeout = read_timeout
      @deadline = deadline
      @max_response_bytes = max_response_bytes
      freeze
    end
  end

  # Sends one request over HTTP/1.1 on a connection of its own, within time and size limits; holds nothing between
  # requests. Proxies are not used, redirects not followed.
  class Exchange
    CUT = [EOFError, IOError, Errno::ECONNRESET, Errno::EPIPE, Errno::ECONNABORTED].freeze
    private_constant :CUT

    # @param endpoint [Endpoint] where to
    # @param limits [Limits] how long and how much
    # @param timing [Timing] the clock that deadlines refer to
    def initialize(endpoint, limits, timing)
      @endpoint = endpoint
      @limits = limits
      @timing = timing
    end

    # The answer to a POST. The time limit of the whole may strike anywhere in it; the connection is then thrown away.
    #
    # @param body [String] the bytes to send
    # @param headers [Hash{String=>String}] besides `Host`, `Content-Length` and `Connection`
    # @param deadline_at [Float] when, by the clock, the answer must be whole
    # @return [HttpAnswer]
    # @raise [ExchangeError] there was no answer, or one that is too large
    def post(body, headers, deadline_at)
      left = deadline_at - @timing.clock.call
      raise past_deadline unless left.positive?

      Timeout.timeout(left) { talk(connection(left), request(body, headers)) }
    rescue Net::OpenTimeout
      raise late(deadline_at, "could not be connected to", @limits.connect_timeout)
    rescue Net::ReadTimeout, Net::WriteTimeout
      raise late(deadline_at, "did not answer", @limits.read_timeout)
    rescue Timeout::Error
      raise past_deadline
    end

    private

    def connection(left)
      http = Net::HTTP.new(@endpoint.host, @endpoint.port, nil)
      http.use_ssl = @endpoint.secure
      http.open_timeout = [@limits.connect_timeout, left].min
      http.read_timeout = http.write_timeout = [@limits.read_timeout, left].min
      http.max_retries = 0
      http.ignore_eof = false if http.respond_to?(:ignore_eof=)
      http
    end

    def request(body, headers)
      request = Net::HTTP::Post.new(@endpoint.target, headers)
      request["Host"] = @endpoint.authority
      request["Connection"] = "close"
      request.body = body
      request
    end

    def talk(http, request)
      connect(http)
      answer(http, request)
    rescue *CUT, OpenSSL::SSL::SSLError
      raise ExchangeError, "cut the connection"
    rescue Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError, Net::ProtocolError, ArgumentError
      raise ExchangeError.new("answered something that is no HTTP", retryable: false)
    rescue SystemCallError
      raise ExchangeError, "cannot be reached"
    ensure
      http.finish if http.started?
    end

    def connect(http)
      http.start
    rescue Errno::ECONNREFUSED
      raise ExchangeError, "refused the connection"
    rescue SystemCallError
      raise ExchangeError, "cannot be reached"
    rescue SocketError
      raise ExchangeError, "cannot be found: its host name has no address"
    rescue OpenSSL::SSL::SSLError
      raise ExchangeError.new("failed the TLS handshake", retryable: false)
    end

    def answer(http, request)
      content = "".b
      response = http.request(request) do |head|
        raise too_large if head.content_length.to_i > @limits.max_response_bytes

        head.read_body do |part|
          content << part
          raise too_large if content.bytesize > @limits.max_response_bytes
        end
      end
      expected = response.content_length
      raise ExchangeError, "cut the connection" if expected && content.bytesize < expected

      HttpAnswer.new(status: response.code.to_i, retry_after: response["Retry-After"], body: content)
    end

    def too_large
      ExchangeError.new("answered more than #{@limits.max_response_bytes} bytes", retryable: false)
    end

    def late(deadline_at, what, seconds)
      return past_deadline if @timing.clock.call >= deadline_at

      ExchangeError.new("#{what} within #{Validation.describe(seconds)} seconds")
    end

    def past_deadline
      shown = Validation.describe(@limits.deadline)
      ExchangeError.new("did not answer before the deadline of #{shown} seconds", retryable: false)
    end
  end
end
