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
        def initialize(problem, sent)
          super(problem)
          @sent = sent
        end

        # @return [Boolean] whether the request may have reached a node
        def sent?
          @sent
        end
      end

      # Sends requests with net/http, reuses connections and alternates between the nodes.
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
        private_constant :HEADERS, :MOST_IDLE, :UNREACHED

        # @param urls [Array<String>] the addresses of the nodes
        # @param user [String, nil] the name of the user; nil for no authentication
        # @param password [#call, nil] returns the password of the user
        # @param ca_file [String, nil] a file with the certificates of trusted authorities; nil for those of the system
        def initialize(urls, user, password, ca_file)
          @endpoints = urls.map { |url| Client::Endpoint.new("url", url) }
          @user = user
          @password = password
          @ca_file = ca_file
          @lock = Mutex.new
          @idle = {}
          @process = Process.pid
          @turn = 0
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
          endpoint = next_endpoint
          connection = taken(endpoint) || connection(endpoint)
          connect(connection, timeout)
          response = exchanged(connection, endpoint, written(method, endpoint, path, body), timeout)
          Answer.new(response.code.to_i, response.body.to_s.dup.force_encoding(::Encoding::UTF_8))
        end

        private

        def next_endpoint
          @lock.synchronize { @endpoints[(@turn += 1) % @endpoints.size] }
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
          made.ca_file = @ca_file if @ca_file
          made.max_retries = 0
          made
        end

        def connect(connection, timeout)
          connection.open_timeout = connection.read_timeout = connection.write_timeout = timeout
          connection.start unless connection.started?
        rescue Net::OpenTimeout
          raise TransportError.new(late(timeout), false)
        rescue *UNREACHED, OpenSSL::SSL::SSLError
          raise TransportError.new("cannot be reached, or cut the connection", false)
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
        rescue *UNREACHED, IOError, OpenSSL::SSL::SSLError, Net::ProtocolError, Net::HTTPBadResponse
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
          made.basic_auth(@user, Base::Validation.text("the password", @password ? @password.call : "")) if @user
          made
        end

        def late(timeout)
          "did not answer within #{Base::Numeric.fixed1(timeout)} seconds"
        end
      end
    end
  end
end
