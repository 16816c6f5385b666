# frozen_string_literal: true

module HybridSearch
  module Server
    # A request that failed, described to clients in one form and with one table of codes (CUR-6).
    class HttpProblem < StandardError
      # problems:begin: made by `bin/conformance make http`
      # Code → status and message; `{}` is filled in; nil: that of the error.
      PROBLEMS = {
        "invalid_request" => [400, nil],
        "invalid_cursor" => [400, nil],
        "dimension_mismatch" => [400, nil],
        "invalid_utf8" => [400, "{} is not valid UTF-8 text"],
        "invalid_json" => [400, "body must be strict JSON, at most 100 levels deep: no comments, no NaN, no " \
                                "lone surrogates, whole numbers of at most 4000 digits"],
        "unauthorized" => [401, "a valid token is needed, as in: Authorization: Bearer TOKEN"],
        "read_only" => [403, "documents cannot be changed here: the service is read-only"],
        "anonymous_write" => [403, "documents cannot be changed without a token: set token (hybrid-search " \
                                   "serve: --token-file), or allow_anonymous_writes (--allow-anonymous-writes)"],
        "not_found" => [404, "there is nothing at this path; the paths are /v1/search, /v1/cite, " \
                             "/v1/tags, /v1/documents and those in /openapi.json"],
        "document_not_found" => [404, "no document has this id"],
        "method_not_allowed" => [405, "this path takes {} only"],
        "not_acceptable" => [406, "this path answers {} only"],
        "request_timeout" => [408, "body did not arrive in time"],
        "length_required" => [411, "body must tell its length, or be chunked"],
        "payload_too_large" => [413, "body must have at most {} bytes"],
        "uri_too_long" => [414, "query string must have at most {} bytes; a search with more takes its " \
                                "options in a body: POST /v1/search"],
        "too_many_values" => [413, "{} holds more values than its limit of bytes allows for"],
        "unsupported_media_type" => [415, "a body must be JSON in UTF-8, not compressed, with the header " \
                                          "Content-Type: application/json; this request has {}"],
        "misdirected_request" => [421, "the host of this request is not served: it must be localhost, an IP " \
                                       "address or a name in allowed_hosts (hybrid-search serve: --allowed-host)"],
        "internal" => [500, "the service failed; its log has the reason"],
        "embedding_failed" => [502, nil],
        "rerank_failed" => [502, nil],
        "store_failed" => [503, nil],
        "shutting_down" => [503, "the server is stopping; ask again"]
      }.freeze
      # problems:end

      # The class of the error that puma raises in a request that is still running when the server stops.
      STOPPED = "Puma::ThreadPool::ForceShutdown"
      private_constant :STOPPED
      # The code of each error of the library. Any other error is `internal`, and its message is not sent.
      CODES = {
        InvalidCursorError => "invalid_cursor",
        InvalidInputError => "invalid_request",
        DimensionMismatchError => "dimension_mismatch",
        EmbeddingError => "embedding_failed",
        RerankError => "rerank_failed",
        DocStoreError => "store_failed"
      }.freeze

      # @return [String]
      attr_reader :code
      # @return [Integer]
      attr_reader :status
      # @return [Hash{String=>String}] further headers of the response
      attr_reader :headers

      # @param code [String] one of {PROBLEMS}
      # @param detail [String] fills the placeholder in the code's message, or is the message if the code has none of
      #   its own
      # @param headers [Hash{String=>String}] further headers of the response
      def initialize(code, detail = "", headers = {})
        @status, message = PROBLEMS.fetch(code)
        super(message ? message.sub("{}") { detail } : detail)
        @code = code
        @headers = headers
      end

      # @param error [Exception]
      # @return [HttpProblem] all details of bad input, a summary for failed services, else no details
      def self.of(error)
        return error if error.is_a?(self)
        return new("shutting_down") if stopping?(error)

        _, code = CODES.find { |kind, _| error.is_a?(kind) }
        return new("internal") if code.nil?

        new(code, PROBLEMS.fetch(code).first == 400 ? error.message : Base::Validation.plain_message(error))
      end

      # @param error [Exception, nil]
      # @return [Boolean] whether puma raised it, or its cause, to end a request
      def self.stopping?(error)
        return false if error.nil?

        error.class.to_s == STOPPED || stopping?(error.cause)
      end
      private_class_method :stopping?
    end
  end
end
