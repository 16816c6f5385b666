# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # Creates connections to a database when they are needed, lends each to one call at a time, and reuses them
      # (PG-3, OB-3).
      #
      # A forked child creates its own connections. Even closing those of its parent would send messages that the server
      # takes for the parent's.
      class OwnConnections
        include Base::ShortInspect

        # Ruby calls this method when it forks a process.
        module ConnectionForks
          def _fork
            child = super
            ObjectSpace.each_object(OwnConnections, &:leave_to_parent) if child.zero?
            child
          end
        end
        private_constant :ConnectionForks

        Process.singleton_class.prepend(ConnectionForks)

        # @param kind [Module] the facts about connections of this kind: `closed?`, `close` and `abandon`
        # @param most [Integer] the maximum number of connections in use at the same time
        # @param timeout [Float] the maximum number of seconds to wait for a connection
        # @param failure [#call] returns the error for a message
        # @yieldreturn [Object] a new connection
        def initialize(kind, most, timeout, failure, &connect)
          @kind = kind
          @most = most
          @timeout = timeout
          @failure = failure
          @connect = connect
          renew
        end

        # @return [Array(Object, Boolean)] a connection for exclusive use until it is given back, and whether it
        #   was used before
        # @raise [DocStoreError] all connections were in use for `timeout` seconds
        def take
          idle = @free.synchronize do
            wait_for_one
            @lent += 1
            @idle.pop
          end
          return [idle, true] if idle

          [made, false]
        end

        # @param connection [Object] a result of {#take}; a closed one is not used again
        # @return [void]
        def give(connection)
          gone = @kind.closed?(connection)
          @free.synchronize { @all.delete(connection) } if gone
          give_back(gone ? nil : connection)
        end

        # Close the connections that are not in use.
        #
        # @return [void]
        def close
          idle = @free.synchronize { @idle.slice!(0..) }
          idle.each { |connection| @kind.close(connection) }
          @free.synchronize { @all -= idle }
        end

        # Forget all connections in a forked child, without sending anything on those of the parent.
        #
        # @return [void]
        def leave_to_parent
          @all.each { |connection| @kind.abandon(connection) }
          renew
        end

        private

        def renew
          @free = Thread::Mutex.new
          @given = Thread::ConditionVariable.new
          @idle = []
          @all = []
          @lent = 0
        end

        def made
          connection = @connect.call
          @free.synchronize { @all << connection }
          connection
        rescue Exception # rubocop:disable Lint/RescueException -- raised again
          give_back(nil)
          raise
        end

        def wait_for_one
          deadline = now + @timeout
          while @lent >= @most
            left = deadline - now
            unless left.positive?
              waited = Base::Validation.describe(@timeout)
              raise @failure.call("has no free connection: all #{@most} were in use for #{waited} seconds")
            end
            @given.wait(@free, left)
          end
        end

        def give_back(connection)
          @free.synchronize do
            @lent -= 1
            @idle << connection if connection
            @given.signal
          end
        end

        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end
      end
    end
  end
end
