# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Finds or creates a collection in PostgreSQL, and opens transactions on it (PG-1, PG-3, PG-4).
      class PostgresDatabase
        include Base::ShortInspect

        VERSION = 3
        # The version that is converted: its writers recorded neither changes nor filled fields.
        BEFORE = 2
        OLDEST_EXTENSION = [0, 6].freeze
        # The first version of pgvector with iterative scans of indexes of approximate nearest neighbours.
        OLDEST_WITH_SCANS = [0, 8].freeze
        FIND = "begin isolation level read committed"
        READ = "begin isolation level repeatable read read only"
        WRITE = "begin isolation level read committed read write"
        # The limits of a transaction. The server ends the transaction of a lost client, which releases its lock. A lock
        # timeout of the role does not end the wait for another writer.
        LIMITS = "set local idle_in_transaction_session_timeout = '5min'; set local lock_timeout = 0"
        # The statement that suppresses notices, for example about a schema that exists already.
        QUIET = "set local client_min_messages = warning"
        CLOSED = "was given a connection that is closed"
        IN_TRANSACTION = "was given a connection that is in a transaction, which must be ended first"
        private_constant :BEFORE, :OLDEST_EXTENSION, :OLDEST_WITH_SCANS, :FIND, :READ, :WRITE, :LIMITS, :QUIET, :CLOSED,
                         :IN_TRANSACTION

        # @return [String] the name of the schema
        attr_reader :collection
        # @return [PostgresStatements]
        attr_reader :statements

        # @param connection [String, PG::Connection, #checkout] a connection string, a connection, or a pool of
        #   connections
        # @param collection [String] the name of the schema
        # @param migrate [Boolean] whether a missing collection is created
        # @param timeout [Float] the maximum number of seconds for a statement
        # @param connections [Integer] the maximum number of connections to create
        # @param approximate [Boolean] whether the store uses indexes of approximate nearest neighbours
        # @raise [DocStoreError] the collection does not exist or cannot be used
        # @raise [ConfigurationError] the gem pg is not installed
        def initialize(connection, collection, migrate, timeout, connections, approximate)
          PostgresLibrary.load
          @collection = collection
          @timeout = timeout
          @limit = "#{LIMITS}; set local statement_timeout = #{[1, (timeout * 1000).to_i].max}"
          @oldest_extension = approximate ? OLDEST_WITH_SCANS : OLDEST_EXTENSION
          @watch = PostgresWatch.new(timeout)
          @pool = pool_of(connection, connections)
          @is_closed = false
          @statements = PostgresStatements.new(collection)
          @known = PostgresState.new
          found(migrate)
        end

        # @yieldparam tables [PostgresTables] the tables in one state
        # @return [Object] the result of the block
        def reading
          begun(READ, "meta") { |connection, row| yield PostgresTables.new(connection, row, @known) }
        end

        # Open a transaction, which is committed if the block ends without an error.
        #
        # @yieldparam tables [PostgresTables] the tables in their latest state
        # @return [Object] the result of the block
        def writing
          begun(WRITE, "meta_locked") do |connection, row|
            given = yield PostgresTables.new(connection, row)
            commit(connection)
            given
          end
        end

        # Create an index of approximate nearest neighbours, without a time limit, unless there is one.
        #
        # @param field [Integer] the key of a vector field
        # @param dimension [Integer] the number of components of its vectors
        # @param links [Integer] the number of neighbours to which a vector is linked on each level
        # @param explored [Integer] the number of candidates that are explored for each vector
        # @return [void]
        def make_approximate(field, dimension, links, explored)
          text = @statements.text("make_approximate", field:, dimension:, m: links, ef_construction: explored)
          lent do |connection, _|
            translating(connection) do
              checked_extension(connection, OLDEST_WITH_SCANS)
              connection.begin_slowly("begin", LIMITS, QUIET, "set local statement_timeout = 0", text)
              commit(connection)
            end
          end
        end

        # Remove the tables and close the store; remove the schema too if this role owns it and it is empty.
        #
        # @return [void]
        def drop
          begun(WRITE, "meta_locked") do |connection, _|
            connection.run("drop_tables")
            connection.run("drop_schema") if connection.row("is_empty", @collection) == [true]
            commit(connection)
          end
          close
        end

        # Close the store's own connections; later calls raise an error.
        #
        # @return [void]
        def close
          @is_closed = true
          @pool.close
        end

        private

        def pool_of(given, connections)
          return ActiveRecordPool.new(given, @timeout, method(:failure)) if ActiveRecordPool.of?(given)
          return GivenPool.new(given, @timeout, method(:failure)) if given.respond_to?(:checkout)
          return GivenConnection.new(given) unless given.is_a?(::String)

          Tables::OwnConnections.new(PostgresConnections, connections, @timeout, method(:failure)) { connected(given) }
        end

        # Return a new connection. libpq limits neither the time for looking up names nor the number of addresses that
        # it tries. Its own timeout is later than this one, and only ends the thread for which no caller waits any more.
        def connected(text)
          hosts = PostgresHosts.new(text, @timeout)
          made = PostgresWatch.made_within(hosts.seconds) { hosts.connect }
          raise PostgresErrors.late(@collection, hosts.seconds) if made.nil?

          made.set_notice_processor { nil } # warnings of the server are not printed
          made
        rescue PG::Error => e
          raise PostgresErrors.unreachable(@collection, e), cause: nil
        end

        def failure(what)
          PostgresErrors.failure(@collection, what)
        end

        # Yield a connection in a transaction, and the metadata of the collection.
        def begun(first, meta)
          lent(first, @limit, @statements.text(meta)) do |connection, row|
            translating(connection) { yield connection, checked(row) }
          end
        end

        # Yield a connection after sending statements, and the first row of the last statement.
        def lent(*sent)
          given, connection, row = taken(sent)
          begin
            yield connection, row
          ensure
            give(connection, given)
          end
        end

        # Return a connection after sending statements; if one that was used before is lost, another one replaces it.
        def taken(sent)
          raise failure("is closed") if @is_closed

          loop do
            given, used = taken_idle
            connection = PostgresConnection.new(given, @statements, @watch)
            row = started(connection, given, used, sent)
            return [given, connection, row] unless row == :lost
          end
        end

        def taken_idle
          given, used = @pool.take
          return [given, used] if PostgresConnections.idle?(given)

          is_closed = PostgresConnections.closed?(given)
          @pool.give(given)
          raise failure(is_closed ? CLOSED : IN_TRANSACTION)
        end

        def started(connection, given, used, sent)
          sent.empty? ? nil : connection.begin(*sent)
        rescue PG::Error => e
          give(connection, given)
          raise translation(connection, e) if connection.late? || !(used && PostgresConnections.closed?(given))

          :lost
        rescue Exception # rubocop:disable Lint/RescueException -- raised again
          give(connection, given)
          raise
        end

        # Give a connection back without an open transaction; an unfinished one is rolled back.
        def give(connection, given)
          connection.release
          PostgresConnections.close(given) if connection.doubtful? && @pool.is_a?(Tables::OwnConnections)
          @pool.give(given)
        end

        def translating(connection)
          yield
        rescue PG::Error => e
          raise translation(connection, e)
        end

        def translation(connection, error)
          PostgresErrors.translated(@collection, @timeout, error, connection.late?)
        end

        def commit(connection)
          connection.settle
          committed(connection)
        end

        def committed(connection)
          connection.end("commit")
        rescue PG::Error => e
          raise PostgresErrors.unknown_outcome(@collection) if PostgresErrors.lost?(e)

          raise
        end

        def checked(row)
          raise failure("holds other tables than a collection has") if row.nil?
          return row if row[0] == VERSION

          how = row[0] == BEFORE ? "; `hybrid-search postgres migrate` converts it" : ""
          raise failure("has the schema version #{row[0]}, and this version of the library reads #{VERSION}#{how}")
        end

        # Find the collection; create it if it is missing and `migrate` is set.
        def found(migrate)
          lent(FIND, @limit, QUIET) { |connection, _| translating(connection) { find(connection, migrate) } }
        rescue Exception # rubocop:disable Lint/RescueException -- raised again
          @pool.close
          raise
        end

        def find(connection, migrate)
          unless made?(connection, migrate)
            raise failure("does not exist; `hybrid-search postgres migrate` makes it") unless migrate

            connection.run("make_lock")
            make(connection) unless made?(connection, migrate)
          end
          extension = checked_extension(connection, @oldest_extension)
          connection.end("commit")
          @statements = PostgresStatements.new(@collection, extension)
        end

        def made?(connection, migrate)
          _, is_used, is_collection = connection.row("found", @collection)
          if is_used && !is_collection
            raise failure("cannot be made: the schema of this name holds objects of other programs")
          end

          if is_collection
            convert(connection) if migrate
            checked(connection.row("meta"))
          end
          is_collection
        end

        # Convert a collection of the previous version to this one.
        def convert(connection)
          return unless connection.row("meta")&.first == BEFORE
          # Another program may have converted it meanwhile.
          return unless connection.row("meta_locked")&.first == BEFORE

          connection.run_text(@statements.text("convert"))
        end

        def make(connection)
          connection.run("make_schema")
          make_extension(connection) if connection.row("extension").nil?
          extension = checked_extension(connection, @oldest_extension)
          connection.run_text(PostgresStatements.new(@collection, extension).text("tables"))
        end

        def make_extension(connection)
          connection.run("make_extension")
        rescue PG::Error
          raise failure("#{needed(@oldest_extension)}; its administrator can install it")
        end

        # Return the name of the schema that contains pgvector.
        def checked_extension(connection, oldest)
          schema, version = connection.row("extension")
          raise failure(needed(oldest)) if version.nil?
          return schema unless (version.split(".").take(2).map(&:to_i) <=> oldest).negative?

          raise failure("#{needed(oldest)}, which has #{version}")
        end

        def needed(oldest)
          what = oldest == OLDEST_WITH_SCANS ? ' where dense is "hnsw"' : ""
          "needs the extension pgvector, #{oldest.join(".")} or later#{what}, in its database"
        end
      end
    end
  end
end
