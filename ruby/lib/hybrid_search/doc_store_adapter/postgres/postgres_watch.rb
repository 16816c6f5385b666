# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Ends connections on which a PostgreSQL server does not respond in time, if the server itself does not end them
      # (PG-3). It watches the connections in use, and cuts each one on which a response is late.
      #
      # The waiting thread is inside libpq, while it sends or receives; shutting down the socket ends the wait at once.
      # As long as connections are in use, a thread checks them whenever a response could be late.
      class PostgresWatch
        include Base::ShortInspect

        # The number of seconds beyond the server's timeout, so that a working server can report the cause itself.
        PATIENCE = 0.5

        # @param seconds [Float] the maximum number of seconds to wait
        # @yieldreturn [Object] an object that is made in another thread
        # @return [Object, nil] that object; nil if it took longer
        def self.made_within(seconds)
          thread = Thread.new do
            Thread.current.report_on_exception = false
            yield
          end
          thread.join(seconds)&.value
        ensure
          thread&.kill
        end

        # @return [Float] the time in seconds of a monotonic clock
        def self.now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        # @param timeout [Float] the maximum number of seconds for a statement
        def initialize(timeout)
          @seconds = timeout + PATIENCE
          renew
        end

        # Watch a connection until it is released.
        #
        # @param connection [PG::Connection]
        # @return [WatchedConnection]
        def over(connection)
          renew unless @process == Process.pid # after a fork, the parent's connections are not watched
          @lock.synchronize do
            watched = WatchedConnection.new(connection, @seconds, @lock, @watched)
            @watched[watched] = true
            @looking ||= Thread.new { look }
            watched
          end
        end

        private

        def renew
          @process = Process.pid
          @lock = Thread::Mutex.new
          @watched = {}.compare_by_identity
          @looking = nil
        end

        # Check the connections repeatedly; a wait that begins after a check is not late before the next one.
        def look
          while (pause = pause_until_next)
            sleep(pause)
          end
        end

        def pause_until_next
          @lock.synchronize do
            @looking = nil if @watched.empty?
            now = PostgresWatch.now
            @watched.each_key.map { |watched| watched.cut(now) }.min
          end
        end
      end

      # A connection that is cut when a response is late. {PostgresWatch#over} creates it under its lock.
      class WatchedConnection
        include Base::ShortInspect

        # @param connection [PG::Connection]
        # @param seconds [Float] the maximum number of seconds for a response
        # @param lock [Thread::Mutex] the lock of the watch
        # @param all [Hash{WatchedConnection=>true}] the table of the watch, which contains the connection until it is
        #   released
        def initialize(connection, seconds, lock, all)
          @connection = connection
          @seconds = seconds
          @lock = lock
          @all = all
          # After a lost connection, another socket may have the number of libpq's own.
          @socket = connection.socket_io.dup
          @deadline = nil
          @is_late = false
        end

        # @return [Boolean] whether the connection was cut
        def late?
          @is_late
        end

        # Run the block, which waits for a response. A response at the last moment is valid, but the connection is not
        # used again.
        #
        # @return [Object] the result of the block
        def waiting
          @deadline = PostgresWatch.now + @seconds
          yield
        ensure
          @lock.synchronize { @deadline = nil }
          PostgresConnections.close(@connection) if @is_late
        end

        # Cut the connection if a response is late; the caller has the lock of the watch.
        #
        # @param now [Float] the time in seconds
        # @return [Float] the number of seconds until the next check
        def cut(now)
          left = @deadline ? @deadline - now : @seconds
          return left if left.positive?

          @is_late = true
          @deadline = nil
          shut_down
          @seconds
        end

        # Stop watching the connection.
        #
        # @return [void]
        def release
          @lock.synchronize { @all.delete(self) }
          @socket.close
        end

        private

        def shut_down
          @socket.shutdown
        rescue SystemCallError
          nil # the server closed the connection first
        end
      end
    end
  end
end
