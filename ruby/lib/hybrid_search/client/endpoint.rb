# frozen_string_literal: true

module HybridSearch
  module Client
    # An `http` or `https` address of a service, parsed and checked.
    class Endpoint
      ADDRESS = %r{\A(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(/[!-"$->@-~]*)?(\?[!-"$-~]*)?\z}
      DEFAULT_PORTS = { "http" => 80, "https" => 443 }.freeze
      LARGEST_PORT = 65_535
      SHORTEST_SECRET = 6
      private_constant :ADDRESS

      # @return [Boolean] whether it is `https`
      attr_reader :secure
      # @return [String] name or address of the host, without brackets
      attr_reader :host
      # @return [Integer]
      attr_reader :port
      # @return [String] host and port as in the header `Host`
      attr_reader :authority
      # @return [String] path and query
      attr_reader :target
      # @return [String] the address for messages, without the query, which may contain keys
      attr_reader :shown
      # @return [Array<String>] the values in the query, raw and decoded; values too short to be keys are omitted
      attr_reader :secrets

      # @param name [String] the name of the argument, for messages
      # @param url [String] without user and password, since keys have an option of their own, and without a fragment
      # @raise [InvalidInputError] the address is not acceptable
      def initialize(name, url)
        match = ADDRESS.match(Base::Validation.text(name, url))
        port = match && match[3] ? match[3].to_i : nil
        unless match && (port.nil? || port.between?(1, LARGEST_PORT))
          raise InvalidInputError, "#{name} must be an address like https://host:8080/path, in ASCII, without user, " \
                                   "password and fragment"
        end

        scheme, host, _, path, query = match.captures
        default = DEFAULT_PORTS.fetch(scheme)
        @secure = scheme == "https"
        @host = host.delete("[]")
        @port = port || default
        @authority = @port == default ? host : "#{host}:#{@port}"
        @target = "#{path || "/"}#{query}"
        @shown = "#{scheme}://#{@authority}#{path}"
        @secrets = secrets_of(query.to_s).freeze
        freeze
      end

      # @return [String]
      def inspect
        "#<#{self.class} #{shown}>"
      end

      private

      def secrets_of(query)
        values = query.delete_prefix("?").split("&").map { |part| part.split("=", 2).last.to_s }
        values.flat_map { |value| [value, decoded(value)] }.uniq.select { |value| value.length >= SHORTEST_SECRET }
      end

      def decoded(value)
        value.b.gsub(/%[0-9A-Fa-f]{2}/n) { |escape| escape[1, 2].hex.chr }.force_encoding(Encoding::UTF_8).scrub
      end
    end
  end
end
