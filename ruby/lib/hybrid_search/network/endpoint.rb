# frozen_string_literal: true

module HybridSearch
  # An `http` or `https` address of a service.
  class Endpoint
    ADDRESS = %r{\A(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(/[!-"$->@-~]*)?(\?[!-"$-~]*)?\z}
    DEFAULT_PORTS = { "http" => 80, "https" => 443 }.freeze
    LARGEST_PORT = 65_535
    private_constant :ADDRESS

    # @return [Boolean] whether it is `https`
    attr_reader :secure
    # @return [String] name or address of the host, without brackets
    attr_reader :host
    # @return [Integer]
    attr_reader :port
    # @return [String] host and port as the header `Host` gives them
    attr_reader :authority
    # @return [String] path and query
    attr_reader :target
    # @return [String] the address for messages, without the query, which may hold keys
    attr_reader :shown

    # @param name [String] what the argument is called, for messages
    # @param url [String] without user and password, as keys have their own place, and without a fragment
    # @raise [InvalidInputError] the address is no such
    def initialize(name, url)
      match = ADDRESS.match(Validation.text(name, url))
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
      freeze
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{shown}>"
    end
  end
end
