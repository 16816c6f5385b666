# frozen_string_literal: true

require "io/wait"
require "openssl"
require "socket"

module HybridSearch
  module Client
    # A connection to a service on which no step waits beyond a deadline, and which nothing interrupts from outside. It
    # sends and receives at the same time, since a service may respond before it has taken the whole request.
    class Connection
      PIECE = 16_384
      # The result of a step that would block → the event to wait for.
      EVENTS = { wait_readable: IO::READABLE, wait_writable: IO::WRITABLE }.freeze
      private_constant :PIECE, :EVENTS

      # @param deadline [Deadline] limits every step
      def initialize(deadline)
        @deadline = deadline
        @outgoing = "".b
        @sent = 0
      end

      # @return [String]
      def inspect
        "#<#{self.class}>"
      end

      # Connect to the first of a host's addresses that accepts a connection. Each address gets an equal share of the
      # remaining time, so that a silent one cannot use up all of it.
      #
      # @param endpoint [Endpoint]
      # @param tls [Tls, nil] secures the connection
      # @return [void]
      # @raise [ExchangeError] the connection failed, took too long, or led to another host than it should
      def open(endpoint, tls)
        addresses = NameLookup.addresses(endpoint.host, endpoint.port, @deadline)
        by = @deadline.connected_by
        dial(addresses, by)
        @stream = tls ? tls.secure(@socket) { |state| wait_to_connect(state, @deadline.until(by)) } : @socket
      end

      # @param bytes [String] queued bytes, which {#read} sends while it waits
      # @return [void]
      def send(bytes)
        @outgoing = bytes
        @sent = 0
      end

      # @param most [Integer]
      # @return [String] up to `most` received bytes; no bytes at the end of the stream
      # @raise [ExchangeError] no bytes came in time, or the connection was cut
      def read(most)
        loop do
          seconds = @deadline.for_bytes
          writing = push
          answer = @stream.read_nonblock(most, exception: false)
          return answer || "".b unless answer.is_a?(Symbol)

          raise @deadline.silent(seconds) unless @socket.wait(EVENTS.fetch(answer) | writing, seconds)
        end
      rescue OpenSSL::SSL::SSLError, SystemCallError, IOError
        raise ExchangeError, "cut the connection"
      end

      # @return [void]
      def close
        @socket&.close
      end

      private

      # Send a piece of the queued bytes if the stream accepts one. A service that accepts no more bytes may have
      # responded; {#read} finds that out.
      #
      # @return [Integer] the event to wait for before the next piece; 0: nothing is left to send
      def push
        return 0 if @sent >= @outgoing.bytesize

        written = @stream.write_nonblock(@outgoing.byteslice(@sent, PIECE), exception: false)
        return EVENTS.fetch(written) if written.is_a?(Symbol)

        @sent += written
        @sent < @outgoing.bytesize ? IO::WRITABLE : 0
      rescue OpenSSL::SSL::SSLError, SystemCallError
        @sent = @outgoing.bytesize
        0
      end

      def dial(addresses, by)
        problem = nil
        connected = addresses.each_with_index.any? do |address, place|
          left = @deadline.until(by)
          break unless left.positive?

          problem = attempt(address, left / (addresses.size - place))
          close if problem
          problem.nil?
        end
        raise problem || @deadline.not_connected unless connected
      end

      # Connect to an address; return the error, or nil if the connection was made.
      def attempt(address, seconds)
        @socket = Socket.new(address.afamily, :STREAM)
        @socket.setsockopt(:TCP, :NODELAY, true)
        if @socket.connect_nonblock(address, exception: false) == :wait_writable
          return @deadline.not_connected unless @socket.wait_writable(seconds)

          error = @socket.getsockopt(:SOCKET, :ERROR).int
          raise SystemCallError.new(nil, error) unless error.zero?
        end
        nil
      rescue Errno::ECONNREFUSED
        ExchangeError.new("refused the connection")
      rescue Errno::ECONNRESET
        ExchangeError.new("cut the connection")
      rescue SystemCallError
        ExchangeError.new("cannot be reached")
      end

      def wait_to_connect(state, seconds)
        return if seconds.positive? && @socket.wait(EVENTS.fetch(state), seconds)

        raise @deadline.not_connected
      end
    end
  end
end
