# frozen_string_literal: true

require "socket"

module HybridSearch
  module Http
    # Serves a Rack application under puma until it is told to stop (CUR-6).
    class HttpServer
      include ShortInspect

      # Seconds that requests under way have when the server is told to stop.
      DRAIN_SECONDS = 10
      # Seconds in which a request must arrive.
      ARRIVAL_SECONDS = 30
      # A connection that asks on and on keeps its thread, so there are more of them than processors.
      THREADS = 32
      BACKLOG = 1024
      SIGNALS = %w[INT TERM].freeze

      # @param service [#call] the application
      # @param host [String] a name or an address
      # @param port [Integer] 0 to 65535; 0: any that is free
      # @raise [InvalidInputError] an argument is not acceptable
      # @raise [ConfigurationError] puma is not installed
      def initialize(service, host, port)
        @service = service
        @host = Validation.text("host", host)
        @port = Validation.integer("port", port, 0, 65_535)
        require "puma"
        require "puma/server"
      rescue ::LoadError
        raise ConfigurationError, "serving needs the gem puma: gem install puma"
      end

      # Listen and serve; SIGINT and SIGTERM end it when the requests under way are answered.
      #
      # @yield [address] once connections are taken
      # @return [void]
      # @raise [ConfigurationError] it cannot listen there
      def run
        server = puma
        listener = listen(server)
        told, tell = ::IO.pipe
        before = SIGNALS.to_h { |name| [name, trap(name) { tell.write_nonblock(".", exception: false) }] }
        server.run
        yield "http://#{@host.include?(":") ? "[#{@host}]" : @host}:#{listener.addr[1]}"
        told.read(1)
        server.stop(true)
      ensure
        before&.each { |name, handler| trap(name, handler || "DEFAULT") }
        [told, tell].each { |one| one&.close }
      end

      private

      def puma
        # One request of a connection at a time, so that others need not wait until it has had ten.
        options = { environment: "production", max_threads: THREADS, max_fast_inline: 1,
                    first_data_timeout: ARRIVAL_SECONDS, force_shutdown_after: DRAIN_SECONDS,
                    lowlevel_error_handler: method(:failed) }
        return ::Puma::Server.new(@service, ::Puma::Events.null, options) unless defined?(::Puma::LogWriter)

        ::Puma::Server.new(@service, nil, options.merge(log_writer: ::Puma::LogWriter.null))
      end

      def listen(server)
        server.add_tcp_listener(@host, @port, true, BACKLOG)
      rescue ::SocketError
        raise ConfigurationError, "cannot listen at #{@host}:#{@port}: the host is not known"
      rescue ::SystemCallError => e
        raise ConfigurationError, "cannot listen at #{@host}:#{@port}: #{e.class.new.message}"
      end

      # What a client is told where the server itself has failed.
      def failed(error, _env = nil, _status = 500)
        Log.warning("the server failed: #{Validation.foreign_error(error)}")
        problem = HttpProblem.new("internal")
        body = HttpJson.write({ "error" => { "code" => problem.code, "message" => problem.message } })
        [problem.status, { "content-type" => "application/json" }, [body]]
      end
    end
  end
end
