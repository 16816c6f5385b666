# frozen_string_literal: true

module HybridSearch
  # The HTTP service of an index: a Rack application, for puma or to be mounted in Rails (CUR-6).
  #
  #   service = HybridSearch::HttpService.new(HybridSearch::Index.open("library.hsx"), token: "…")
  #   mount service => "/search" # in config/routes.rb
  #
  # Responses and messages are those of Python's `HttpService`, byte for byte.
  class HttpService
    include Base::ShortInspect

    OPTIONS = %w[token read_only access_log log_queries max_query_bytes max_body_bytes allowed_hosts
                 allow_anonymous_writes].freeze
    # The prefix of headers in the environment of Rack.
    PREFIX = "HTTP_"
    BARE = { "CONTENT_TYPE" => "content-type", "CONTENT_LENGTH" => "content-length" }.freeze
    private_constant :PREFIX, :BARE

    # @param index [Index] the index to search and change; its `max_results` caps `limit` and `candidates`. With a
    #   {RankingCache}, further pages need no search
    # @param token [String, Array<String>, nil] a bearer token, or a list of them, one of which requests must have; nil
    #   accepts every request
    # @param read_only [Boolean] whether documents cannot be changed
    # @param access_log [#write, nil] receives a line of JSON for each request
    # @param log_queries [Boolean] whether these lines contain the question
    # @param max_query_bytes [Integer] maximum size in bytes of a search's body or query string, at least 1
    # @param max_body_bytes [Integer] maximum size in bytes of a body with documents, at least 1
    # @param allowed_hosts [Array<String>, nil] names of hosts that are served in addition to localhost and IP
    #   addresses: `search.example.com`, `.example.com` with all its subdomains, `*` for any. nil allows every host if a
    #   token is set or the service is mounted below a path, in which case the application decides, and otherwise no
    #   other host
    # @param allow_anonymous_writes [Boolean] whether documents can be changed if no token is set; requests with a token
    #   can always
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(index, token: nil, read_only: false, access_log: nil, log_queries: false,
                   max_query_bytes: Server::HttpSettings::LIMITS["max_query_bytes"],
                   max_body_bytes: Server::HttpSettings::LIMITS["max_body_bytes"],
                   allowed_hosts: nil, allow_anonymous_writes: false, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      raise Base::Validation.failure("index", index, "an Index") unless index.is_a?(Index)

      settings = Server::HttpSettings.new(token, read_only, access_log, log_queries, max_query_bytes, max_body_bytes,
                                          allowed_hosts, allow_anonymous_writes)
      @api = Server::HttpApi.new(index, settings)
      freeze
    end

    # Handle a request by the Rack protocol.
    #
    # @param env [Hash{String=>Object}]
    # @return [Array(Integer, Hash{String=>String}, Array<String>)]
    def call(env)
      exchange = @api.exchange(head(env))
      body = body(env, exchange)
      answer = body ? exchange.answer(body) : exchange.refuse("request_timeout")
      [answer.status, answer.headers.dup, [answer.body]]
    end

    private

    def head(env)
      path = env.fetch("PATH_INFO", "")
      path = "/" if path.empty?
      Server::HttpHead.new(env.fetch("REQUEST_METHOD"), path, headers(env), env.fetch("SCRIPT_NAME", ""),
                           env.fetch("REMOTE_ADDR", ""), env.fetch("QUERY_STRING", ""))
    end

    def headers(env)
      env.each_with_object({}) do |(name, value), headers|
        plain = name.start_with?(PREFIX) ? name.delete_prefix(PREFIX).downcase.tr("_", "-") : BARE[name]
        headers[plain] = value if plain && value.is_a?(::String)
      end
    end

    # Return the body, up to one byte more than wanted; nil if reading it failed with an error of the server.
    def body(env, exchange)
      most = exchange.body_limit
      return "" if most.nil?

      (env["rack.input"]&.read(most + 1) || "").b
    rescue ::IOError, ::SystemCallError
      nil
    end
  end
end
