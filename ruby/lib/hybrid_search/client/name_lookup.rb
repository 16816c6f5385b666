# frozen_string_literal: true

require "socket"

module HybridSearch
  module Client
    # The addresses of hosts, within a time limit.
    #
    # The system's resolver cannot be interrupted, so it runs in threads of its own, which callers wait for as long as
    # they have time. A thread whose callers have gone ends when the resolver gives up, by its own settings
    # (`resolv.conf`); until then it counts as one of the 8 that a process may have, and a process that ends waits for
    # it. Those who ask for the same host at once share a thread. An address that is written out needs none.
    class NameLookup
      include Base::ShortInspect

      # How many hosts a process looks up at once.
      MOST = 8

      @lock = Thread::Mutex.new
      @under_way = {}

      class << self
        # @param host [String] a name or an address
        # @param port [Integer]
        # @param deadline [Deadline]
        # @return [Array<Addrinfo>] where to connect to, the best first
        # @raise [ExchangeError] the host has no address, or none was found in time
        def addresses(host, port, deadline)
          written_out(host, port) || wait(shared(host, port), deadline)
        end

        private

        def written_out(host, port)
          resolve(host, port, Socket::AI_NUMERICHOST)
        end

        def resolve(host, port, flags = 0)
          Addrinfo.getaddrinfo(host, port, nil, :STREAM, nil, flags)
        rescue SocketError
          nil
        end

        # The thread that looks a host up. Those that have ended, also in a process that this one was forked from, do
        # not count.
        def shared(host, port)
          @lock.synchronize do
            @under_way.select! { |_, thread| thread.alive? }
            @under_way[[host, port]] ||= begin
              raise too_many if @under_way.size >= MOST

              look_up(host, port)
            end
          end
        end

        def look_up(host, port)
          Thread.new { resolve(host, port) }.tap { |thread| thread.report_on_exception = false }
        rescue ThreadError
          raise too_many
        end

        def wait(thread, deadline)
          raise deadline.past unless deadline.left.positive? && thread.join(deadline.left)

          thread.value || raise(ExchangeError, "cannot be found: its host name has no address")
        end

        def too_many
          ExchangeError.new("cannot be found: too many look-ups of host names are under way")
        end
      end
    end
  end
end
