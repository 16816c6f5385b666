# frozen_string_literal: true

require "securerandom"

module HybridSearch
  module Server
    # The objects that all requests of a service share (CUR-6).
    class HttpApi
      include Base::ShortInspect

      # @return [HttpSettings]
      attr_reader :settings
      # @return [HttpMetrics]
      attr_reader :metrics
      # @return [Operations]
      attr_reader :operations
      # @return [BearerTokens]
      attr_reader :tokens
      # @return [AllowedHosts]
      attr_reader :hosts
      # @return [AccessLog]
      attr_reader :log

      # @param index [Index] the index to search and change
      # @param settings [HttpSettings] the settings of the service
      def initialize(index, settings)
        @settings = settings
        @metrics = HttpMetrics.new
        @operations = Operations.new(index, @metrics)
        @tokens = BearerTokens.new(settings.tokens)
        @hosts = AllowedHosts.new(settings.allowed_hosts, settings.tokens.any?)
        @log = AccessLog.new(settings.access_log)
        freeze
      end

      # @param head [HttpHead]
      # @return [ServerExchange] the exchange for a new request, which must be answered or abandoned
      def exchange(head)
        ServerExchange.new(self, head)
      end
    end

    # One request: accepted or refused at once, then answered once, counted and logged.
    class ServerExchange
      include Base::ShortInspect

      SANE_ID = %r{\A[A-Za-z0-9._:/=+-]{1,128}\z}n
      # The maximum number of characters of a path without a route in the access log.
      SHOWN_PATH = 200
      CHARSETS = { "text/plain" => "; version=0.0.4; charset=utf-8", "application/json" => "" }.freeze
      BODY_OF_GET = "GET takes no body: its options are in the query string; POST takes them in its body"
      private_constant :SANE_ID, :SHOWN_PATH, :CHARSETS, :BODY_OF_GET

      # @param api [HttpApi] the shared objects
      # @param head [HttpHead] the request without its body
      def initialize(api, head)
        @api = api
        @head = head
        @begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        given = head.header("x-request-id")
        @id = SANE_ID.match?(given) ? given : SecureRandom.hex(16)
        @parameter = ""
        api.metrics.count("in_progress")
        begin
          admit
        rescue HttpProblem => e
          @refused = e
        end
      end

      # @return [Integer, nil] maximum number of bytes of the body; nil if no body is wanted
      def body_limit
        return if @refused || @route&.body.nil?

        @api.settings.limits.fetch(@route.body)
      end

      # Perform the request and return its response; errors become responses too.
      #
      # @param body [String] the body, up to one byte more than {#body_limit}
      # @return [ServerResponse]
      def answer(body = "")
        raise @refused if @refused

        content = perform(@route, body)
        done(200, headers(@route.gives), content)
      rescue StandardError, SystemStackError, NoMemoryError => e
        refusal(e)
      end

      # @param code [String]
      # @return [ServerResponse] the response for a problem that was found while the body was read
      def refuse(code)
        refusal(HttpProblem.new(code))
      end

      # Count a request whose client has disconnected: it gets no response, and is logged with status 499.
      #
      # @return [void]
      def abandon
        finish(499, 0, "client_gone", nil)
      end

      private

      # Find the route of the request, and check whether the request is allowed.
      def admit
        @api.hosts.check(@head)
        @route, @parameter = Routes.find(@head.method, @head.path)
        @api.tokens.check(@head) unless @route.is_open
        check_writing if @route.writes
        Negotiation.check_accept(@head, @route.gives)
        if @route.body
          Negotiation.check_body(@head, @api.settings.limits.fetch(@route.body))
        elsif @route.operation == "search_get" && @head.body?
          raise HttpProblem.new("invalid_request", BODY_OF_GET)
        end
      end

      def check_writing
        settings = @api.settings
        raise HttpProblem, "read_only" if settings.read_only
        raise HttpProblem, "anonymous_write" if settings.tokens.empty? && !settings.allow_anonymous_writes
      end

      def perform(route, body)
        most = @api.settings.limits.fetch("max_query_bytes")
        case route.operation
        when "search_get" then @api.operations.search(asked(QueryString.search_options(@head.query, most)))
        when "get" then @api.operations.get(@parameter, QueryString.included_names(@head.query, most))
        when "delete" then @api.operations.delete(@parameter)
        when "page" then @api.operations.page(@head.root)
        else perform_plain(route, body, most)
        end
      end

      def perform_plain(route, body, most)
        operation = @api.operations.method(route.operation)
        return operation.call if route.body.nil?

        QueryString.check_empty(@head.query, most)
        operation.call(asked(read(route.body, body)))
      end

      # Store the question for the access log.
      def asked(options)
        @question = options["question"]
        options
      end

      def read(limit, body)
        most = @api.settings.limits.fetch(limit)
        raise HttpProblem.new("payload_too_large", most.to_s) if body.bytesize > most

        HttpJson.read(body, most)
      end

      def refusal(error)
        problem = HttpProblem.of(error)
        Base::Log.warning("request #{@id} failed: #{Base::Validation.foreign_error(error)}") if problem.status == 500
        content = HttpJson.write({ "error" => { "code" => problem.code, "message" => problem.message } })
        done(problem.status, { **headers("application/json"), **problem.headers }, content, problem.code)
      end

      def headers(media)
        headers = {
          "content-type" => media + CHARSETS.fetch(media, "; charset=utf-8"),
          "cache-control" => media == "application/json" ? "no-store" : "no-cache",
          "x-content-type-options" => "nosniff",
          "x-request-id" => @id
        }
        if media == "text/html"
          headers.update("content-security-policy" => StaticFiles::POLICY, "referrer-policy" => "no-referrer")
        end
        headers
      end

      def done(status, headers, content, code = nil)
        headers["content-length"] = content.bytesize.to_s
        body = @head.method == "HEAD" ? "" : content
        finish(status, body.bytesize, code, @question)
        ServerResponse.new(status, headers, body)
      end

      def finish(status, size, code, question)
        seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - @begun
        @api.metrics.answered(@head.method, @route ? @route.path : "", status, seconds)
        @api.metrics.count("in_progress", -1)
        entry = entry(status, size, code, seconds)
        entry["question"] = question if @api.settings.log_queries && !question.nil?
        @api.log.write(entry)
      end

      def entry(status, size, code, seconds)
        {
          "request_id" => @id,
          "remote" => @head.remote,
          "method" => @head.method[0, SHOWN_PATH],
          "path" => @route ? @route.path : @head.path[0, SHOWN_PATH],
          "status" => status,
          "error" => code,
          "bytes" => size,
          "milliseconds" => Base::Numeric.fixed4(1000.0 * seconds).to_f
        }
      end
    end
  end
end
