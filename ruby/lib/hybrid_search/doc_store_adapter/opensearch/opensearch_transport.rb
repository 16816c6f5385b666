# frozen_string_literal: true

require "net/http"
require "openssl"

module HybridSearch
  module Stores
    module OpenSearch
      # There was no response.
      class TransportError < StandardError
        # @param problem [String] the reason, for messages
        # @param sent [Boolean] whether the request may have reached a node
        # @param lasting [Boolean] whether a further attempt would fail in the same way
        def initialize(problem, sent, lasting: false)
          super(problem)
          @sent = sent
          @lasting = lasting
        end

        # @return [Boolean] whether the request may have reached a node
        def sent?
          @sent
        end

        # @return [Boolean] whether a further attempt would fail in the same way
        def lasting?
          @lasting
        end
      end

      # Sends requests with net/http and reuses connections; each node in turn, unless it does not respond.
      #
      # The transport is safe to use from several threads, and in a forked child.
      class OpenSearchTransport
        include Base::ShortInspect

        # A node's response.
        class Answer
          include Base::ShortInspect

          # @return [Integer] the HTTP status
          attr_reader :status

          # @return [String] the body
          attr_reader :text

          # @param status [Integer] the HTTP status
          # @param text [String] the body
          def initialize(status, text)
            @status = status
            @text = text
            freeze
          end
        end

        HEADERS = { "Content-Type" => "application/json", "Accept" => "application/json",
                    "Accept-Encoding" => "identity" }.freeze
        MOST_IDLE = 16
        UNREACHED = [SystemCallError, SocketError].freeze
        # The message of OpenSSL about a connection → the description in messages.
        INSECURE = {
          /mismatch|match|not valid for/i => "has a certificate for another host name",
          /has expired/i => "has a certificate that has expired",
          /not yet valid/i => "has a certificate that is not yet valid",
          /certificate verify failed/i => "has a certificate that is not trusted",
          /alert.certificate.required/i => "demands a client certificate",
          /alert.(unknown.ca|.*certificate)/i => "does not accept the client certificate",
          /alert.handshake.failure/i => "refuses the secured connection; it may demand a client certificate",
          /wrong.version.number/i => "answers without TLS: its address begins with http, not https"
        }.freeze
        private_constant :HEADERS, :MOST_IDLE, :UNREACHED, :INSECURE

        # @param urls [Array<String>] the addresses of the nodes
        # @param access [OpenSearchAccess] the credentials; a callable for its password or key is called for each
        #   request
        def initialize(urls, access = OpenSearchAccess.new)
          @endpoints = urls.map { |url| Client::Endpoint.new("url", url) }
          @access = access
          @lock = Mutex.new
          @idle = {}
          @process = Process.pid
          @addresses = OpenSearchAddresses.new(urls.size)
        end

        # Send one request, without repeating it, and return the response with any status.
        #
        # @param method [String] the HTTP method
        # @param path [String] the path and the query, escaped
        # @param body [String, nil] JSON, or lines of JSON
        # @param timeout [Float] the maximum number of seconds
        # @return [Answer]
        # @raise [TransportError] there was no response
        def request(method, path, body, timeout)
          place = @addresses.choose
          answer = answered(@endpoints[place], method, path, body, timeout)
          @addresses.succeed(place)
          answer
        rescue TransportError
          @addresses.fail(place)
          raise
        end

        private

        def answered(endpoint, method, path, body, timeout)
          request = written(method, endpoint, path, body) # before a connection: it raises if the key is malformed
          connection = taken(endpoint) || connection(endpoint)
          connect(connection, timeout)
          response = exchanged(connection, endpoint, request, timeout)
          Answer.new(response.code.to_i, response.body.to_s.dup.force_encoding(::Encoding::UTF_8))
        end

        # Return an open connection that is not in use; a child does not share connections with its parent.
        def taken(endpoint)
          @lock.synchronize do
            @idle = {} unless @process == Process.pid
            @process = Process.pid
            (@idle[endpoint.authority] ||= []).pop
          end
        end

        def connection(endpoint)
          made = Net::HTTP.new(endpoint.host, endpoint.port, nil)
          made.use_ssl = endpoint.secure
          @access.secure(made)
          made.max_retries = 0
          made
        end

        def connect(connection, timeout)
          connection.open_timeout = connection.read_timeout = connection.write_timeout = timeout
          connection.start unless connection.started?
        rescue Net::OpenTimeout
          raise TransportError.new(late(timeout), false)
        rescue OpenSSL::SSL::SSLError => e
          raise insecure(e.message, false)
        rescue *UNREACHED
          raise TransportError.new("cannot be reached, or cut the connection", false)
        end

        # Return the error for a connection that could not be secured, or whose security ended after a request.
        def insecure(told, sent)
          words = INSECURE.find { |said, _| said.match?(told) }&.last
          return TransportError.new(words, false, lasting: true) if words

          TransportError.new("cannot be reached, or cut the connection", sent)
        end

        def exchanged(connection, endpoint, request, timeout)
          response = connection.request(request)
          @lock.synchronize { keep(endpoint, connection) }
          response
        rescue Timeout::Error
          drop(connection)
          raise TransportError.new(late(timeout), true)
        rescue Errno::ECONNREFUSED
          drop(connection)
          raise TransportError.new("cannot be reached, or cut the connection", false)
        rescue OpenSSL::SSL::SSLError => e
          drop(connection)
          raise insecure(e.message, true)
        rescue *UNREACHED, IOError, Net::ProtocolError, Net::HTTPBadResponse
          drop(connection)
          raise TransportError.new("cannot be reached, or cut the connection", true)
        end

        def keep(endpoint, connection)
          idle = (@idle[endpoint.authority] ||= [])
          idle.size < MOST_IDLE ? idle.push(connection) : connection.finish
        end

        def drop(connection)
          connection.finish if connection.started?
        rescue IOError
          nil
        end

        def written(method, endpoint, path, body)
          target = endpoint.target.chomp("/") + path
          made = Net::HTTPGenericRequest.new(method, !body.nil?, true, target, HEADERS)
          made.body = body if body
          made["Authorization"] = @access.header if @access.named?
          made
        end

        def late(timeout)
          "did not answer within #{Base::Numeric.fixed1(timeout)} seconds"
        end
      end
    end
  end
end
