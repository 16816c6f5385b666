# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Creates connections to PostgreSQL when they are needed, lends each to one call at a time, and reuses them
      # (PG-3).
      #
      # A forked child creates its own connections. Even closing those of its parent would send messages that the server
      # takes for the parent's.
      class OwnConnections
        include Base::ShortInspect

        # Ruby calls this method when it forks a process.
        module Forks
          def _fork
            child = super
            ObjectSpace.each_object(OwnConnections, &:leave_to_parent) if child.zero?
            child
          end
        end
        private_constant :Forks

        Process.singleton_class.prepend(Forks)

        # @param most [Integer] the maximum number of connections in use at the same time
        # @param timeout [Float] the maximum number of seconds to wait for a connection
        # @param failure [#call] returns the error for a message
        # @yieldreturn [PG::Connection] a new connection
        def initialize(most, timeout, failure, &connect)
          @most = most
          @timeout = timeout
          @failure = failure
          @connect = connect
          renew
        end

        # @return [Array(PG::Connection, Boolean)] a connection for exclusive use until it is given back, and whether it
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

        # @param connection [PG::Connection] a result of {#take}; a closed one is not used again
        # @return [void]
        def give(connection)
          gone = PostgresConnections.closed?(connection)
          @free.synchronize { @all.delete(connection) } if gone
          give_back(gone ? nil : connection)
        end

        # Close the connections that are not in use.
        #
        # @return [void]
        def close
          idle = @free.synchronize { @idle.slice!(0..) }
          idle.each { |connection| PostgresConnections.close(connection) }
          @free.synchronize { @all -= idle }
        end

        # Forget all connections in a forked child, without sending anything on those of the parent.
        #
        # @return [void]
        def leave_to_parent
          @all.each { |connection| connection.socket_io.reopen(IO::NULL) unless connection.finished? }
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

      # The caller's pool, with `checkout` and `checkin` as in ConnectionPool.
      class GivenPool
        include Base::ShortInspect

        # @param pool [#checkout, #checkin]
        # @param timeout [Float] the number of seconds to wait for a connection, if `checkout` takes a timeout
        # @param failure [#call] returns the error for a message
        def initialize(pool, timeout, failure)
          @pool = pool
          @timeout = timeout
          @failure = failure
        end

        # @see OwnConnections#take
        def take
          connection = PostgresConnections.lent(@timeout, @failure) { lent }
          return [connection, true] if PostgresConnections.connection?(connection)

          @pool.checkin
          raise PostgresConnections.other(connection, @failure)
        end

        # A closed connection is discarded, if the pool supports that.
        #
        # @see OwnConnections#give
        def give(connection)
          is_gone = PostgresConnections.closed?(connection)
          @pool.discard_current_connection if is_gone && @pool.respond_to?(:discard_current_connection)
          @pool.checkin
        end

        # The pool stays open.
        #
        # @see OwnConnections#close
        def close; end

        private

        # The `checkout` of a ConnectionPool takes options or keywords.
        def lent
          takes = @pool.respond_to?(:checkout) && @pool.method(:checkout).parameters.any?
          takes ? @pool.checkout(timeout: @timeout) : @pool.checkout
        end
      end

      # The pool of an application with ActiveRecord (PG-3). A thread that already has a connection uses that one, so
      # that it never waits for a second one, and so that an open transaction of the application is noticed.
      class ActiveRecordPool
        include Base::ShortInspect

        # The methods of the pool that are called; a ConnectionPool does not have all of them.
        METHODS = %w[checkout checkin active_connection? with_connection].freeze

        # @return [Boolean] whether a value is such a pool
        def self.of?(value)
          METHODS.all? { |method| Base::ObjectChecks.has?(value, method) }
        end

        # @param pool [ActiveRecord::ConnectionAdapters::ConnectionPool]
        # @param timeout [Float] the number of seconds to wait for a connection, unless the pool itself waits for less
        # @param failure [#call] returns the error for a message
        def initialize(pool, timeout, failure)
          @pool = pool
          @timeout = Base::ObjectChecks.has?(pool, "checkout_timeout") ? [timeout, pool.checkout_timeout].min : timeout
          @failure = failure
          @lent = {}.compare_by_identity
          @lock = Thread::Mutex.new
        end

        # @see OwnConnections#take
        def take
          held = @pool.active_connection?
          adapter = held || PostgresConnections.lent(@timeout, @failure) { checked_out }
          begin
            connection = raw(adapter)
          rescue Exception # rubocop:disable Lint/RescueException -- raised again
            @pool.checkin(adapter) unless held
            raise
          end
          @lock.synchronize { @lent[connection] = adapter } unless held
          [connection, true]
        end

        # ActiveRecord reconnects a lost connection before it lends it again.
        #
        # @see OwnConnections#give
        def give(connection)
          adapter = @lock.synchronize { @lent.delete(connection) }
          @pool.checkin(adapter) if adapter
        end

        # The pool stays open.
        #
        # @see OwnConnections#close
        def close; end

        private

        # A wrapper of the pool may accept no timeout.
        def checked_out
          @pool.method(:checkout).arity.zero? ? @pool.checkout : @pool.checkout(@timeout)
        end

        # A connection that the thread has used for a while may be lost; it is then connected again.
        def raw(adapter)
          raise PostgresConnections.other(adapter, @failure) unless Base::ObjectChecks.has?(adapter, "raw_connection")

          connection = connected(adapter)
          raise PostgresConnections.other(adapter, @failure) unless PostgresConnections.connection?(connection)
          return connection if !PostgresConnections.closed?(connection) || adapter.transaction_open?

          connected(adapter, &:verify!)
        end

        def connected(adapter)
          yield adapter if block_given?
          adapter.raw_connection
        rescue StandardError => e
          raise PostgresConnections.none(e, @failure), cause: nil
        end
      end

      # The caller's only connection, for one call at a time.
      class GivenConnection
        include Base::ShortInspect

        # @param connection [PG::Connection]
        def initialize(connection)
          @connection = connection
          @free = Thread::Mutex.new
        end

        # @see OwnConnections#take
        def take
          @free.lock
          [@connection, false]
        end

        # @see OwnConnections#give
        def give(_connection)
          @free.unlock
        end

        # The connection stays open.
        #
        # @see OwnConnections#close
        def close; end
      end

      # The facts about a connection that are known without a request to the server.
      module PostgresConnections
        module_function

        # @return [Boolean] whether a value is a connection of the gem pg
        def connection?(value)
          %w[exec_params transaction_status finished?].all? { |method| Base::ObjectChecks.has?(value, method) }
        end

        # @param timeout [Float] the number of seconds that the pool waits
        # @param failure [#call] returns the error for a message
        # @yieldreturn [Object] the object that a pool lends
        # @return [Object] the same object
        # @raise [DocStoreError] the pool raised an error
        def lent(timeout, failure)
          yield
        rescue StandardError => e
          raise none(e, failure), cause: nil unless e.class.name.to_s.include?("Timeout")

          waited = Base::Validation.describe(timeout.to_f)
          raise failure.call("has no free connection: the pool lent none within #{waited} seconds"), cause: nil
        end

        # @return [DocStoreError] the error for a pool that raised one
        def none(error, failure)
          failure.call("was lent no connection by the pool: #{Base::Validation.plain_message(error)}")
        end

        # @return [DocStoreError] the error for a pool that lends another object
        def other(value, failure)
          failure.call("was lent #{Base::Validation.describe(value)} by the pool, not a connection of pg")
        end

        # @return [Boolean] whether the connection is closed or lost
        def closed?(connection)
          connection.finished? || connection.status != PG::CONNECTION_OK
        end

        # @return [Boolean] whether the connection is open and not in a transaction
        def idle?(connection)
          state(connection) == PG::PQTRANS_IDLE
        end

        # @return [Integer] the state according to libpq; "unknown" if the connection is closed or lost
        def state(connection)
          closed?(connection) ? PG::PQTRANS_UNKNOWN : connection.transaction_status
        end

        # @return [void]
        def close(connection)
          connection.finish unless connection.finished?
        rescue PG::Error
          nil
        end
      end
    end
  end
end
