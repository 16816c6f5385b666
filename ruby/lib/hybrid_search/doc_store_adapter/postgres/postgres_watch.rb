# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Ends what a PostgreSQL server does not answer in time, where the server itself does not (PG-3): each connection
      # in use on which an answer is late is cut, whoever waits for it.
      #
      # What waits is libpq, in either direction and whatever is asked; that its socket has been shut down ends all of
      # it at once. A thread looks whenever an answer could be late, as long as connections are in use.
      class PostgresWatch
        include Base::ShortInspect

        # For how many seconds more than a server has is waited for it, so that one that works says itself what took
        # long.
        PATIENCE = 0.5

        # @param seconds [Float] how long it may take to make something
        # @yieldreturn [Object] what is made, in another thread
        # @return [Object, nil] what the block gives; nil where it takes longer
        def self.made_within(seconds)
          thread = Thread.new do
            Thread.current.report_on_exception = false
            yield
          end
          thread.join(seconds)&.value
        ensure
          thread&.kill
        end

        # @return [Float] in seconds, as the watch counts them
        def self.now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        # @param timeout [Float] for how many seconds a statement may take
        def initialize(timeout)
          @seconds = timeout + PATIENCE
          renew
        end

        # Look after a connection until it is released.
        #
        # @param connection [PG::Connection]
        # @return [WatchedConnection]
        def over(connection)
          renew unless @process == Process.pid # those of the process that has forked this one are not its own
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

        # Whoever begins to wait after a look is not late before the next one.
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

      # A connection that is cut when an answer on it is late.
      class WatchedConnection
        include Base::ShortInspect

        # @param connection [PG::Connection]
        # @param seconds [Float] how long an answer may take
        # @param lock [Thread::Mutex] of the watch
        # @param all [Hash{WatchedConnection=>true}] of the watch; the connection is in it until it is released
        def initialize(connection, seconds, lock, all)
          @connection = connection
          @seconds = seconds
          @lock = lock
          @all = all
          # The number of libpq's own socket may be another's once the connection is lost.
          @socket = connection.socket_io.dup
          @deadline = nil
          @is_late = false
        end

        # @return [Boolean] whether it was cut
        def late?
          @is_late
        end

        # What was answered at the last moment counts, but nothing more is asked there.
        #
        # @return [Object] what the block gives, which waits for an answer
        def waiting
          @deadline = PostgresWatch.now + @seconds
          yield
        ensure
          @lock.synchronize { @deadline = nil }
          PostgresConnections.close(@connection) if @is_late
        end

        # Cut it where an answer on it is late; under the lock of the watch.
        #
        # @param now [Float]
        # @return [Float] in how many seconds to look again
        def cut(now)
          left = @deadline ? @deadline - now : @seconds
          return left if left.positive?

          @is_late = true
          @deadline = nil
          shut_down
          @seconds
        end

        # Look after it no longer.
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
          nil # the other side was faster
        end
      end
    end
  end
end
