# frozen_string_literal: true

require "openssl" # before any exchange begins, not in the middle of one

module HybridSearch
  module Client
    # Sends one request over HTTP/1.1 on a connection of its own, within time and size limits; holds nothing between
    # requests. Proxies are not used, redirects not followed.
    class ClientExchange
      include Base::ShortInspect

      # @param endpoint [Endpoint] where to
      # @param limits [Limits] how long and how much
      def initialize(endpoint, limits)
        @endpoint = endpoint
        @limits = limits
        @lock = Thread::Mutex.new
        @made_tls = nil
      end

      # The answer to a POST.
      #
      # @param body [String] the bytes to send
      # @param headers [Hash{String=>String}] besides `Host`, `Content-Length` and `Connection`
      # @param deadline [Deadline] when the answer must be whole
      # @return [ClientResponse]
      # @raise [ExchangeError] there was no answer, or one that is too large
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

      # Made when it is first needed, as it reads the files of authorities.
      def tls
        return nil unless @endpoint.secure

        @lock.synchronize { @made_tls ||= Tls.new(@endpoint.host) }
      end
    end
  end
end
