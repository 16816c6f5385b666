# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Connections to one file, for several threads and over forks (SQL-3): lends each to one call at a time, and keeps
      # those that nobody uses.
      #
      # SQLite's connections must not be carried into a forked child: locks are those of a process, but SQLite's own
      # notes of them are copied. So before a fork the connections that are in use are waited for, and all are closed.
      class SqlitePool
        include Base::ShortInspect

        # Seconds for which a fork waits for those who use a connection.
        LONGEST_HOLD = 10.0

        # What Ruby calls when a process is forked.
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
        # @param closed [#call] makes the error for those who ask after {#close}
        def initialize(connect, closed)
          @connect = connect
          @closed = closed
          @is_closed = false
          @idle = []
          @users = Hash.new(0)
          @free = Thread::Mutex.new
          @given = Thread::ConditionVariable.new
        end

        # @return [SqliteConnection] a connection that nobody else uses until it is given back
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

        # @param connection [SqliteConnection] what {#take} gave to this thread
        # @param usable [Boolean] whether it may be used again
        # @return [void]
        def give(connection, usable)
          kept = @free.synchronize { @idle << connection if usable && !@is_closed }
          connection.close unless kept
          leave
        end

        # Close all connections; those in use as soon as they are given back.
        #
        # @return [void]
        def close
          @free.synchronize { @is_closed = true }
          drop_idle
        end

        # Close the connections that nobody uses.
        #
        # @return [Boolean] whether some are in use
        def drop_idle
          idle, used = @free.synchronize { [@idle.slice!(0..), !@users.empty?] }
          idle.each(&:close)
          used
        end

        # @return [Boolean] whether connections are open, or are being opened
        def open?
          !@idle.empty? || !@users.empty?
        end

        # Before a fork: wait for those who use a connection, close all, and let nobody have one.
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

        # After a fork, in the parent.
        #
        # @return [void]
        def release
          @free.unlock
        end

        # After a fork, in the child.
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
