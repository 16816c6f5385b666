# frozen_string_literal: true

module HybridSearch
  class Generations
    # Connections to PostgreSQL for {PostgresPlace}: each statement is its own transaction, and a lock is held on a
    # connection that is not used for anything else.
    class PostgresSessions
      include Base::ShortInspect

      START = "begin isolation level read committed read write"
      QUIET = "set local client_min_messages = warning"
      # The statement without which a lock could not be held for a whole build; the transaction has no snapshot, so it
      # does not hold back a vacuum.
      NO_LIMIT = "set local idle_in_transaction_session_timeout = 0"
      TRY = "select pg_try_advisory_xact_lock(hashtextextended($1, 0))"
      WAIT = "select pg_advisory_xact_lock(hashtextextended($1, 0))"
      private_constant :START, :QUIET, :NO_LIMIT, :TRY, :WAIT

      # @param connection [String, ActiveRecord::ConnectionAdapters::ConnectionPool]
      # @param timeout [Float] the maximum number of seconds for a statement, and for a connection
      # @param collection [String] the name of the collection in errors
      # @param connections [Integer] the maximum number of connections, if `connection` is a text
      # @raise [InvalidInputError] `connection` is neither a text nor a pool
      # @raise [ConfigurationError] the gem pg is not installed
      def initialize(connection, timeout, collection, connections)
        Stores::Postgres::PostgresLibrary.load
        @collection = collection
        @timeout = timeout
        @limit = "set local statement_timeout = #{[1, (timeout * 1000).to_i].max}"
        @watch = Stores::Postgres::PostgresWatch.new(timeout)
        @statements = Stores::Postgres::PostgresStatements.new(collection)
        @given = connection
        if connection.is_a?(::String)
          kind = Stores::Postgres::PostgresConnections
          @pool = Stores::Tables::OwnConnections.new(kind, connections, timeout, method(:failure)) { connected }
        elsif Stores::Postgres::ActiveRecordPool.of?(connection)
          @pool = Stores::Postgres::ActiveRecordPool.new(connection, timeout, method(:failure))
        else
          raise Base::Validation.failure("connection", connection, "a URL or the pool of ActiveRecord")
        end
      end

      # @param text [String] a statement
      # @param values [Array] its values
      # @return [Array<Array>] its rows
      # @raise [DocStoreError] the server refuses or fails
      def rows(text, *values)
        lent(*shared, START, @limit) { |session| committed(session) { session.rows_of(text, values) } }
      end

      # Run the statements of a text.
      #
      # @param text [String] statements without values
      # @param lock [String, nil] the name of a lock to hold meanwhile
      # @return [void]
      # @raise [DocStoreError] the server refuses or fails
      def run(text, lock: nil)
        lent(*shared, START, @limit, QUIET) do |session|
          committed(session) do
            session.rows_of(WAIT, [lock]) if lock
            session.run_text(text)
          end
        end
      end

      # Hold a lock.
      #
      # @param lock [String] its name
      # @return [Array(Object), nil] the value of the block; nil: another session holds the lock
      # @raise [DocStoreError] the server refuses or fails
      def holding(lock)
        lent(*single, START, NO_LIMIT) { |session| session.rows_of(TRY, [lock])[0][0] ? [yield] : nil }
      end

      # @return [void]
      def close
        @pool.close
      end

      private

      def committed(session)
        found = yield
        session.end("commit")
        found
      end

      # Return two methods: one takes a connection, which the thread may use already, and one gives it back.
      def shared
        [@pool.method(:take), @pool.method(:give)]
      end

      # Return the same methods for a connection that the thread does not use.
      def single
        return shared if @given.is_a?(::String)

        adapter = nil
        take = lambda do
          adapter = Stores::Postgres::PostgresConnections.lent(@timeout, method(:failure)) { @given.checkout }
          [adapter.raw_connection, true]
        end
        [take, ->(_) { @given.checkin(adapter) }]
      end

      # Yield a connection to which some statements were sent; a connection that was lost while it was idle is replaced.
      def lent(take, give, *first)
        connection, session = begun(take, give, first)
        begin
          translating(session) { yield session }
        ensure
          session.release
          give.call(connection)
        end
      end

      def begun(take, give, first)
        loop do
          connection, used = take.call
          session = started(connection, used, first) { give.call(connection) }
          return [connection, session] if session
        end
      end

      # Return a session on a connection; nil if the connection was lost.
      def started(connection, used, first)
        unless Stores::Postgres::PostgresConnections.idle?(connection)
          raise failure("was given a connection that is in a transaction, which must be ended first")
        end

        session = Stores::Postgres::PostgresConnection.new(connection, @statements, @watch)
        translating(session) { session.begin(*first) }
        session
      rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, it goes on
        lost = used && session && Stores::Postgres::PostgresConnections.closed?(connection)
        session&.release
        yield
        raise unless lost
      end

      def translating(session)
        yield
      rescue PG::Error => e
        raise Stores::Postgres::PostgresErrors.translated(@collection, @timeout, e, session.late?), cause: nil
      end

      def connected
        hosts = Stores::Postgres::PostgresHosts.new(@given, @timeout)
        made = Stores::Postgres::PostgresWatch.made_within(hosts.seconds) { hosts.connect }
        raise Stores::Postgres::PostgresErrors.late(@collection, hosts.seconds) if made.nil?

        made.set_notice_processor { nil }
        made
      rescue PG::Error => e
        raise Stores::Postgres::PostgresErrors.unreachable(@collection, e), cause: nil
      end

      def failure(what)
        Stores::Postgres::PostgresErrors.failure(@collection, what)
      end
    end
  end
end
