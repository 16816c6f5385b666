# frozen_string_literal: true

require "openssl" # before any exchange begins, not in the middle of one

module HybridSearch
  module Client
    # Performs one HTTP/1.1 request on a connection of its own, within limits of time and size. It stores nothing
    # between requests. Proxies are not used, redirects not followed.
    class ClientExchange
      include Base::ShortInspect

      # @param endpoint [Endpoint] the address of the service
      # @param limits [Limits] limits of time and size
      def initialize(endpoint, limits)
        @endpoint = endpoint
        @limits = limits
        @lock = Thread::Mutex.new
        @made_tls = nil
      end

      # Return the response to a POST.
      #
      # @param body [String] the bytes to send
      # @param headers [Hash{String=>String}] in addition to `Host`, `Content-Length` and `Connection`
      # @param deadline [Deadline] the time by which the response must be complete
      # @return [ClientResponse]
      # @raise [ExchangeError] the service sent no response, or one that is too large
      def post(body, headers, deadline)
        connection = Connection.new(deadline)
        connection.open(@endpoint, tls)
        connection.send(request(body, headers))
        ResponseReader.new(connection.method(:read), @limits.max_response_bytes).answer
      ensure
        connection&.close
      end

      private

      def request(body, headers)
        lines = { "Host" => @endpoint.authority, **headers, "Content-Length" => body.bytesize, "Connection" => "close" }
        head = lines.map { |name, value| "#{name}: #{value}\r\n" }.join
        "POST #{@endpoint.target} HTTP/1.1\r\n#{head}\r\n".b << body.b
      end

      # Return the TLS settings, made on first use since that reads the files of authorities.
      def tls
        return nil unless @endpoint.secure

        @lock.synchronize { @made_tls ||= Tls.new(@endpoint.host) }
      end
    end
  end
end
