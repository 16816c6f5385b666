# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Connections to one file, for several threads and over forks (SQL-3): lends each to one call at a time, and
      # reuses idle ones.
      #
      # SQLite's connections must not be carried into a forked child: locks belong to a process, but SQLite's own notes
      # of them are copied. Before a fork, the pool therefore waits for the connections that are in use, and closes all.
      class SqlitePool
        include Base::ShortInspect

        # The maximum number of seconds that a fork waits for the users of connections.
        LONGEST_HOLD = 10.0

        # Ruby calls this method when it forks a process.
        module SqliteForks
          def _fork
            held = []
            begin
              SqlitePool.all.each { |pool| held.push(pool) if pool.hold }
              child = super
            ensure
              held.each { |pool| child&.zero? ? pool.renew : pool.release }
            end
            child
          end
        end
        private_constant :SqliteForks

        # @return [Array<SqlitePool>] all existing pools
        def self.all
          ObjectSpace.each_object(SqlitePool).to_a
        end

        Process.singleton_class.prepend(SqliteForks)

        # @param connect [#call] opens a connection
        # @param closed [#call] makes the error of calls after {#close}
        def initialize(connect, closed)
          @connect = connect
          @closed = closed
          @is_closed = false
          @idle = []
          @users = Hash.new(0)
          @free = Thread::Mutex.new
          @given = Thread::ConditionVariable.new
        end

        # @return [SqliteConnection] a connection for exclusive use until it is given back
        # @raise [DocStoreError] the pool is closed
        def take
          idle = @free.synchronize do
            raise @closed.call if @is_closed

            @users[Thread.current] += 1
            @idle.pop
          end
          return idle if idle

          begin
            @connect.call
          rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, it goes on
            leave
            raise
          end
        end

        # @param connection [SqliteConnection] the result of {#take} in this thread
        # @param usable [Boolean] whether it may be used again
        # @return [void]
        def give(connection, usable)
          kept = @free.synchronize { @idle << connection if usable && !@is_closed }
          connection.close unless kept
          leave
        end

        # Close all connections; those in use are closed when they are given back.
        #
        # @return [void]
        def close
          @free.synchronize { @is_closed = true }
          drop_idle
        end

        # Close the idle connections.
        #
        # @return [Boolean] whether connections are in use
        def drop_idle
          idle, used = @free.synchronize { [@idle.slice!(0..), !@users.empty?] }
          idle.each(&:close)
          used
        end

        # @return [Boolean] whether connections are open, or are being opened
        def open?
          !@idle.empty? || !@users.empty?
        end

        # Prepare for a fork: wait until no connection is in use, close all connections, and lend no more.
        #
        # @return [true]
        def hold
          @free.lock
          deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LONGEST_HOLD
          until @users.keys.all?(Thread.current)
            left = deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC)
            break unless left.positive?

            @given.wait(@free, left)
          end
          close_idle
          true
        end

        # Lend connections again, in the parent after a fork.
        #
        # @return [void]
        def release
          @free.unlock
        end

        # Start without connections, in the child after a fork.
        #
        # @return [void]
        def renew
          @free = Thread::Mutex.new
          @given = Thread::ConditionVariable.new
          @users = Hash.new(0)
        end

        private

        def close_idle
          @idle.pop.close until @idle.empty?
        rescue SQLite3::Exception
          retry
        end

        def leave
          @free.synchronize do
            @users[Thread.current] -= 1
            @users.delete(Thread.current) if @users[Thread.current].zero?
            @given.broadcast
          end
        end
      end
    end
  end
end
