# frozen_string_literal: true

require "io/wait"
require "socket"

# A listening port whose queue of connections is full: the system silently drops further connections.
class FullQueue
  MOST = 64

  # @yieldparam port [Integer]
  def self.open
    queue = new
    yield queue.port
  ensure
    queue&.close
  end

  attr_reader :port

  def initialize
    @server = Socket.new(:INET, :STREAM)
    @server.bind(Addrinfo.tcp("127.0.0.1", 0))
    @server.listen(0)
    @port = @server.local_address.ip_port
    @waiting = []
    MOST.times { break unless filled_one_more? }
  end

  def close
    [@server, *@waiting].each(&:close)
  end

  private

  # Whether the queue accepted another connection.
  def filled_one_more?
    socket = Socket.new(:INET, :STREAM)
    @waiting << socket
    return true unless socket.connect_nonblock(@server.local_address, exception: false) == :wait_writable

    !socket.wait_writable(0.2).nil?
  end
end
