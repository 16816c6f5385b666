# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
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

        # @see Tables::OwnConnections#take
        def take
          connection = PostgresConnections.lent(@timeout, @failure) { lent }
          return [connection, true] if PostgresConnections.connection?(connection)

          @pool.checkin
          raise PostgresConnections.other(connection, @failure)
        end

        # Give a connection back; discard a closed one if the pool supports that.
        #
        # @see Tables::OwnConnections#give
        def give(connection)
          is_gone = PostgresConnections.closed?(connection)
          @pool.discard_current_connection if is_gone && @pool.respond_to?(:discard_current_connection)
          @pool.checkin
        end

        # Leave the pool open.
        #
        # @see Tables::OwnConnections#close
        def close; end

        private

        # Take a connection from the pool. The `checkout` of a ConnectionPool takes options or keywords.
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

        # @see Tables::OwnConnections#take
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

        # Give a connection back; ActiveRecord reconnects a lost one before it lends it again.
        #
        # @see Tables::OwnConnections#give
        def give(connection)
          adapter = @lock.synchronize { @lent.delete(connection) }
          @pool.checkin(adapter) if adapter
        end

        # Leave the pool open.
        #
        # @see Tables::OwnConnections#close
        def close; end

        private

        # Take a connection from the pool; a wrapper of the pool may accept no timeout.
        def checked_out
          @pool.method(:checkout).arity.zero? ? @pool.checkout : @pool.checkout(@timeout)
        end

        # Return the connection of an adapter. A connection that the thread has used for a while may be lost; it is then
        # connected again.
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

        # @see Tables::OwnConnections#take
        def take
          @free.lock
          [@connection, false]
        end

        # @see Tables::OwnConnections#give
        def give(_connection)
          @free.unlock
        end

        # Leave the connection open.
        #
        # @see Tables::OwnConnections#close
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

        # Forget a connection of a parent process, without sending anything on it.
        #
        # @return [void]
        def abandon(connection)
          connection.socket_io.reopen(IO::NULL) unless connection.finished?
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
