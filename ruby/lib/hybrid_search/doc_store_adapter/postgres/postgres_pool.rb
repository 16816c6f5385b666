# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Makes connections to PostgreSQL as they are needed, lends each to one call at a time, and keeps them (PG-3).
      #
      # A forked child makes its own: what it would say on those of its parent, were it only at its end, the server
      # would take for the parent's words.
      class OwnConnections
        include Base::ShortInspect

        # What Ruby calls when a process is forked.
        module Forks
          def _fork
            child = super
            ObjectSpace.each_object(OwnConnections, &:leave_to_parent) if child.zero?
            child
          end
        end
        private_constant :Forks

        Process.singleton_class.prepend(Forks)

        # @param most [Integer] how many there may be at once
        # @param timeout [Float] for how many seconds one is waited for
        # @param failure [#call] makes the error of a text
        # @yieldreturn [PG::Connection] a new one
        def initialize(most, timeout, failure, &connect)
          @most = most
          @timeout = timeout
          @failure = failure
          @connect = connect
          renew
        end

        # @return [Array(PG::Connection, Boolean)] a connection that nobody else uses until it is given back, and
        #   whether it was used before
        # @raise [DocStoreError] all are in use, for `timeout` seconds
        def take
          idle = @free.synchronize do
            wait_for_one
            @lent += 1
            @idle.pop
          end
          return [idle, true] if idle

          [made, false]
        end

        # @param connection [PG::Connection] what {#take} gave; one that is closed is not used again
        # @return [void]
        def give(connection)
          gone = PostgresConnections.closed?(connection)
          @free.synchronize { @all.delete(connection) } if gone
          give_back(gone ? nil : connection)
        end

        # Close the connections that nobody uses.
        #
        # @return [void]
        def close
          idle = @free.synchronize { @idle.slice!(0..) }
          idle.each { |connection| PostgresConnections.close(connection) }
          @free.synchronize { @all -= idle }
        end

        # In a forked child: have none, and say nothing on those there were.
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
        rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, it goes on
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

      # The caller's pool: it has `checkout` and `checkin`, as a ConnectionPool has.
      class GivenPool
        include Base::ShortInspect

        # @param pool [#checkout, #checkin]
        # @param timeout [Float] the number of seconds to wait for a connection, if `checkout` takes a timeout
        # @param failure [#call] makes the error of a text
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

        # One that is closed is not lent again by a pool that can do without it.
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

        # A ConnectionPool takes options, or keywords.
        def lent
          takes = @pool.respond_to?(:checkout) && @pool.method(:checkout).parameters.any?
          takes ? @pool.checkout(timeout: @timeout) : @pool.checkout
        end
      end

      # The pool of an application with ActiveRecord (PG-3). A thread that holds a connection already uses that one, so
      # that it never waits for a second one, and so that a transaction of the application is seen.
      class ActiveRecordPool
        include Base::ShortInspect

        # What is called of the pool, and of no ConnectionPool.
        METHODS = %w[checkout checkin active_connection? with_connection].freeze

        # @return [Boolean] whether a value is such a pool
        def self.of?(value)
          METHODS.all? { |method| Base::ObjectChecks.has?(value, method) }
        end

        # @param pool [ActiveRecord::ConnectionAdapters::ConnectionPool]
        # @param timeout [Float] the number of seconds to wait for a connection, unless the pool itself waits for less
        # @param failure [#call] makes the error of a text
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
          rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, it goes on
            @pool.checkin(adapter) unless held
            raise
          end
          @lock.synchronize { @lent[connection] = adapter } unless held
          [connection, true]
        end

        # ActiveRecord connects one that is lost again before it lends it.
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

        # Something in front of the pool may take no limit.
        def checked_out
          @pool.method(:checkout).arity.zero? ? @pool.checkout : @pool.checkout(@timeout)
        end

        # One that the thread has held for a while may be lost.
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

      # The caller's one connection, for one call after the other.
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

      # What can be told of a connection without asking the server.
      module PostgresConnections
        module_function

        # @return [Boolean] whether a value is a connection of the gem pg
        def connection?(value)
          %w[exec_params transaction_status finished?].all? { |method| Base::ObjectChecks.has?(value, method) }
        end

        # @param timeout [Float] the number of seconds that the pool waits
        # @param failure [#call] makes the error of a text
        # @yieldreturn [Object] what a pool lends
        # @return [Object] likewise
        # @raise [DocStoreError] the pool raised an error
        def lent(timeout, failure)
          yield
        rescue StandardError => e
          raise none(e, failure), cause: nil unless e.class.name.to_s.include?("Timeout")

          waited = Base::Validation.describe(timeout.to_f)
          raise failure.call("has no free connection: the pool lent none within #{waited} seconds"), cause: nil
        end

        # @return [DocStoreError] the error where a pool raised one
        def none(error, failure)
          failure.call("was lent no connection by the pool: #{Base::Validation.plain_message(error)}")
        end

        # @return [DocStoreError] the error where a pool lends something else
        def other(value, failure)
          failure.call("was lent #{Base::Validation.describe(value)} by the pool, not a connection of pg")
        end

        # @return [Boolean] whether it is no connection any more
        def closed?(connection)
          connection.finished? || connection.status != PG::CONNECTION_OK
        end

        # @return [Boolean] whether it is open and in no transaction
        def idle?(connection)
          state(connection) == PG::PQTRANS_IDLE
        end

        # @return [Integer] what libpq calls its state; unknown where it is no connection any more
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
