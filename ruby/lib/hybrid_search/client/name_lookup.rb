# frozen_string_literal: true

require "socket"

module HybridSearch
  module Client
    # Resolves the names of hosts within a time limit.
    #
    # The system's resolver cannot be interrupted, so it runs in threads of its own, and callers wait for these as long
    # as they have time. A thread without waiting callers ends when the resolver gives up, according to its own settings
    # (`resolv.conf`). Until then it counts as one of the 8 threads that a process may have, and a process that ends
    # waits for it. Simultaneous callers with the same host share a thread. A numeric address needs no thread.
    class NameLookup
      include Base::ShortInspect

      # The maximum number of hosts that a process looks up at the same time.
      MOST = 8

      @lock = Thread::Mutex.new
      @under_way = {}

      class << self
        # @param host [String] a name or an address
        # @param port [Integer]
        # @param deadline [Deadline] limits the time
        # @return [Array<Addrinfo>] the addresses of the host, the best first
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

        # Return the thread that looks a host up. Ended threads do not count, nor do those of a forked process's parent.
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
