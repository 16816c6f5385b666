# frozen_string_literal: true

require "io/wait"
require "openssl"
require "socket"

module HybridSearch
  module Client
    # One connection to a service. Every step waits no longer than a deadline allows, and nothing interrupts it from
    # outside. What is to be sent goes out while answers are read, so that a service may answer before it has taken the
    # whole request.
    class Connection
      PIECE = 16_384
      # What to wait for, by what a step that could not go on says.
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

      # Connect to the first of a host's addresses that takes a connection. Each gets an equal share of the time that is
      # left, so that one that keeps silent does not use up all of it.
      #
      # @param endpoint [Endpoint]
      # @param tls [Tls, nil] what makes the connection secure
      # @return [void]
      # @raise [ExchangeError] there was no connection, or none in time, or not to whom it should be
      def open(endpoint, tls)
        addresses = NameLookup.addresses(endpoint.host, endpoint.port, @deadline)
        by = @deadline.connected_by
        dial(addresses, by)
        @stream = tls ? tls.secure(@socket) { |state| wait_to_connect(state, @deadline.until(by)) } : @socket
      end

      # @param bytes [String] what {#read} shall send while it waits
      # @return [void]
      def send(bytes)
        @outgoing = bytes
        @sent = 0
      end

      # @param most [Integer]
      # @return [String] the bytes that came, so many at the most; none at the end of the stream
      # @raise [ExchangeError] none came in time, or the connection was cut
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

      # Send a piece of what is left to send, if the stream takes one. A service that takes no more may have answered.
      #
      # @return [Integer] what to wait for before there is more to send; 0: nothing
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

      # What is wrong with an address; nil once there is a connection to it.
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
