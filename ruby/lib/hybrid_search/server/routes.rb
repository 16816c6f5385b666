# frozen_string_literal: true

module HybridSearch
  module Server
    # One operation.
    class Route
      include Base::ShortInspect

      # @return [String] its path; `{id}` matches the rest of a path, which must not be empty
      attr_reader :path
      # @return [String]
      attr_reader :method
      # @return [String] its name
      attr_reader :operation
      # @return [String] the media type of its response
      attr_reader :gives
      # @return [String, nil] the name of the limit of its body; nil if it takes no body
      attr_reader :body
      # @return [Boolean] whether it needs no token
      attr_reader :is_open
      # @return [Boolean] whether it changes documents
      attr_reader :writes

      def initialize(path, method, operation, gives, body, is_open, writes)
        @path = path
        @method = method
        @operation = operation
        @gives = gives
        @body = body
        @is_open = is_open
        @writes = writes
        freeze
      end
    end

    # Maps paths and methods to operations (CUR-6).
    module Routes
      # routes:begin: made by `bin/conformance make http`
      ROUTES = [
        Route.new("/", "GET", "page", "text/html", nil, true, false),
        Route.new("/search_page.css", "GET", "page_style", "text/css", nil, true, false),
        Route.new("/search_page.js", "GET", "page_script", "text/javascript", nil, true, false),
        Route.new("/openapi.json", "GET", "openapi", "application/json", nil, true, false),
        Route.new("/metrics", "GET", "metrics", "text/plain", nil, false, false),
        Route.new("/v1/health", "GET", "health", "application/json", nil, true, false),
        Route.new("/v1/search", "GET", "search_get", "application/json", nil, false, false),
        Route.new("/v1/search", "POST", "search", "application/json", "max_query_bytes", false, false),
        Route.new("/v1/cite", "POST", "cite", "application/json", "max_query_bytes", false, false),
        Route.new("/v1/tags", "POST", "tags", "application/json", "max_query_bytes", false, false),
        Route.new("/v1/documents", "POST", "documents", "application/json", "max_body_bytes", false, true),
        Route.new("/v1/documents/{id}", "GET", "get", "application/json", nil, false, false),
        Route.new("/v1/documents/{id}", "DELETE", "delete", "application/json", nil, false, true)
      ].freeze
      # routes:end
      PARAMETER = "{id}"
      ESCAPE = /%(\h\h)/n
      private_constant :PARAMETER, :ESCAPE

      module_function

      # @return [Array(Route, String)] the route of a request, and the part of its path that matches `{id}`
      # @raise [HttpProblem] no route has this path, or only with other methods
      def find(method, path)
        found = at(path)
        route = found.find { |one| one.method == method || (one.method == "GET" && method == "HEAD") }
        return [route, parameter(route, path)] if route
        raise HttpProblem, "not_found" if found.empty?

        allowed = found.map { |one| one.method == "GET" ? "GET, HEAD" : one.method }.join(", ")
        raise HttpProblem.new("method_not_allowed", allowed, { "allow" => allowed })
      end

      # @return [Array<Route>] the routes of a path, one for each method
      def at(path)
        ROUTES.select { |route| path == route.path || parameter?(route, path) }
      end

      def parameter?(route, path)
        prefix = route.path.delete_suffix(PARAMETER)
        route.path != prefix && path.start_with?(prefix) && path != prefix
      end
      private_class_method :parameter?

      def parameter(route, path)
        return "" unless route.path.end_with?(PARAMETER)

        encoded = path.b.delete_prefix(route.path.delete_suffix(PARAMETER))
        text = encoded.gsub(ESCAPE) { [::Regexp.last_match(1)].pack("H2") }.force_encoding(::Encoding::UTF_8)
        raise HttpProblem.new("invalid_utf8", "path") unless text.valid_encoding?

        text
      end
      private_class_method :parameter
    end
  end
end
