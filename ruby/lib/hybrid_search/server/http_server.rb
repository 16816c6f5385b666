# frozen_string_literal: true

require "socket"
require "uri"

module HybridSearch
  module Server
    # Serves a Rack application under puma until a signal stops it (CUR-6).
    class HttpServer
      include Base::ShortInspect

      # The maximum number of seconds from a signal to the end of the process.
      DRAIN_SECONDS = 10
      # The number of seconds from a signal until requests that are still running get status 503.
      INTERRUPT_SECONDS = 9
      # The exit status if requests were still being computed at the end.
      CUT_OFF = 1
      # The maximum number of seconds in which a request must arrive.
      ARRIVAL_SECONDS = 30
      # A busy connection occupies its thread, so the number of threads exceeds that of processors.
      THREADS = 32
      BACKLOG = 1024
      SIGNALS = %w[INT TERM].freeze

      # Changes to puma's server. While it stops, it accepts connections that have arrived, for a limited time. A
      # request that its parser does not understand is a bad request, for any error of the parser.
      module PumaServer
        # Seconds after a signal in which connections are still accepted.
        LAST_ARRIVALS = 1.0
        UNREADABLE = [::ArgumentError, ::RangeError, ::RuntimeError, ::URI::Error].freeze
        private_constant :LAST_ARRIVALS, :UNREADABLE

        # @return [Boolean] whether connections are still accepted although the server stops
        def shutting_down?
          return false unless super

          now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          @last_arrival ||= now + LAST_ARRIVALS
          now < @last_arrival
        end

        # @param error [StandardError] raised while a request was read
        # @param client [Object] the client in puma
        # @return [void]
        def client_error(error, client, *rest)
          status = status_of(error)
          status ? client.write_error(status) : super
        end

        private

        def status_of(error)
          case error
          when ::Puma::ConnectionError then nil
          when ::Puma::HttpParserError501 then 501
          when ::Puma::HttpParserError then 400
          else
            return 503 unless @status == :run

            400 if UNREADABLE.any? { |kind| error.is_a?(kind) }
          end
        end
      end

      # @param service [#call] the application
      # @param host [String] a name or an address
      # @param port [Integer] 0 to 65535; 0 takes any free port
      # @raise [InvalidInputError] an argument is not acceptable
      # @raise [ConfigurationError] puma is not installed
      def initialize(service, host, port)
        @service = service
        @host = Base::Validation.text("host", host)
        @port = Base::Validation.integer("port", port, 0, 65_535)
        require "puma"
        require "puma/server"
      rescue ::LoadError
        raise ConfigurationError, "serving needs the gem puma: gem install puma"
      end

      # Listen and serve; after SIGINT or SIGTERM, answer the running requests and return.
      #
      # @yield [address] once connections are accepted
      # @return [void]
      # @raise [ConfigurationError] the address is not available
      def run
        listener = listening
        serve(listener) { yield address(listener) }
      ensure
        listener&.close
      end

      # Serve the connections of a listener until SIGINT or SIGTERM, answer the running requests and return.
      #
      # @param listener [TCPServer] other processes may serve it too
      # @yield once connections are accepted
      # @return [void]
      def serve(listener)
        server = puma
        server.binder.inherit_tcp_listener(@host, @port, listener)
        told, tell = ::IO.pipe
        before = SIGNALS.to_h { |name| [name, trap(name) { tell.write_nonblock(".", exception: false) }] }
        server.run
        yield
        told.read(1)
        stop(server)
      ensure
        before&.each { |name, handler| trap(name, handler || "DEFAULT") }
        [told, tell].each { |one| one&.close }
      end

      # @param listener [TCPServer]
      # @return [String] its address
      def address(listener)
        "http://#{@host.include?(":") ? "[#{@host}]" : @host}:#{listener.addr[1]}"
      end

      # @return [TCPServer] a socket that listens
      # @raise [ConfigurationError] the address is not available
      def listening
        listener = ::TCPServer.new(@host, @port)
        listener.setsockopt(::Socket::IPPROTO_TCP, ::Socket::TCP_NODELAY, 1)
        listener.listen(BACKLOG)
        listener
      rescue ::SocketError
        raise ConfigurationError, "cannot listen at #{@host}:#{@port}: the host is not known"
      rescue ::SystemCallError => e
        raise ConfigurationError, "cannot listen at #{@host}:#{@port}: #{e.class.new.message}"
      end

      private

      # Accept no more connections, answer requests that have arrived, and end the process at its time limit.
      def stop(server)
        limit = Thread.new do
          sleep(DRAIN_SECONDS)
          exit!(CUT_OFF)
        end
        server.stop(true)
      ensure
        limit.kill
      end

      def puma
        # One request of a connection at a time; by default, other connections would wait for up to ten.
        options = { environment: "production", max_threads: THREADS, max_fast_inline: 1,
                    first_data_timeout: ARRIVAL_SECONDS, drain_on_shutdown: true,
                    force_shutdown_after: INTERRUPT_SECONDS, lowlevel_error_handler: method(:failed) }
        server = if defined?(::Puma::LogWriter)
                   ::Puma::Server.new(@service, nil, options.merge(log_writer: ::Puma::LogWriter.null))
                 else
                   ::Puma::Server.new(@service, ::Puma::Events.null, options)
                 end
        server.extend(PumaServer)
      end

      # Return the response to a request in which the server itself failed.
      def failed(error, _env = nil, _status = 500)
        Base::Log.warning("the server failed: #{Base::Validation.foreign_error(error)}")
        problem = HttpProblem.new("internal")
        body = HttpJson.write({ "error" => { "code" => problem.code, "message" => problem.message } })
        [problem.status, { "content-type" => "application/json" }, [body]]
      end
    end
  end
end
