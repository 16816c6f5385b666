# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # Finds or creates a collection in OceanBase, and opens transactions on it (OB-1, OB-3, OB-4).
      class OceanBaseDatabase
        include Base::ShortInspect

        VERSION = 1
        READ = ["set transaction isolation level repeatable read", "start transaction with consistent snapshot"].freeze
        WRITE = ["set transaction isolation level read committed", "start transaction"].freeze
        # The tables of a collection in the order in which they are created; those of vectors follow when they are
        # needed.
        MADE = %w[documents terms tokens fields models meta].freeze
        private_constant :READ, :WRITE, :MADE

        # @return [String] the name of the collection
        attr_reader :collection

        # @param address [OceanBaseAddress] the address of the server
        # @param collection [String] the name of the collection, with which the names of its tables begin
        # @param migrate [Boolean] whether a missing collection is created
        # @param timeout [Float] the maximum number of seconds for a statement
        # @param connections [Integer] the maximum number of connections
        # @raise [DocStoreError] the collection does not exist or cannot be used
        # @raise [ConfigurationError] the gem mysql2 is not installed
        def initialize(address, collection, migrate, timeout, connections)
          OceanBaseLibrary.load
          @collection = collection
          @address = address
          @timeout = timeout
          @statements = OceanBaseStatements.new(collection)
          @pool = Tables::OwnConnections.new(OceanBaseConnections, connections, timeout, method(:failure)) { connected }
          @is_closed = false
          @dimensions = []
          found(migrate)
        end

        # @yieldparam tables [OceanBaseTables] the tables in one state
        # @return [Object] the result of the block
        def reading
          lent(*READ) do |connection|
            yield OceanBaseTables.new(connection, checked(connection.row("meta")))
          ensure
            roll_back(connection)
          end
        end

        # Open a transaction, which is committed if the block ends without an error.
        #
        # @yieldparam tables [OceanBaseTables] the tables in their latest state
        # @return [Object] the result of the block
        def writing
          lent(*WRITE) do |connection|
            is_whole = false
            given = yield OceanBaseTables.new(connection, checked(connection.row("meta_locked")))
            is_whole = true
            commit(connection)
            given
          ensure
            roll_back(connection) unless is_whole
          end
        end

        # Create the missing tables for vectors with these numbers of components.
        #
        # @param dimensions [Array<Integer>]
        # @return [void]
        def prepare(dimensions)
          fresh = dimensions.uniq.sort - @dimensions
          return if fresh.empty?

          lent do |connection|
            fresh.each do |dimension|
              type = dimension <= Tables::VectorScreen::MOST_COMPONENTS ? "vector(#{dimension})" : "tinyint"
              connection.run("create_vectors", dimension:, type:)
            end
          end
          @dimensions |= fresh
        end

        # Create an index of approximate nearest neighbours unless there is one.
        #
        # @param dimension [Integer] the number of components of the vectors
        # @param links [Integer] the number of neighbours to which a vector is linked on each level
        # @param explored [Integer] the number of candidates that are explored for each vector
        # @return [void]
        def make_approximate(dimension, links, explored)
          lent do |connection|
            next if connection.rows("indexed", dimension:)[0][0].positive?

            connection.run("make_approximate", dimension:, m: links, ef_construction: explored)
          end
        end

        # Remove the tables of the collection, and close the store.
        #
        # @return [void]
        def drop
          lent do |connection|
            prefix = "#{@collection}_vectors_"
            found = connection.rows("found", length: prefix.length, prefix:).map { |(name)| name }
            vectors = found.grep(/\A#{prefix}[0-9]+\z/)
            names = ["#{@collection}_meta", *vectors, *MADE[0...-1].map { |name| "#{@collection}_#{name}" }]
            connection.run("drop", tables: names.map { |name| "`#{name}`" }.join(", "))
          end
          close
        end

        # Close the connections; later calls raise an error.
        #
        # @return [void]
        def close
          @is_closed = true
          @pool.close
        end

        private

        def connected
          began = now
          OceanBaseConnection.new(@address, @statements, @timeout)
        rescue Mysql2::Error => e
          raise OceanBaseErrors.unreachable(@collection, @timeout, e, now - began >= @timeout), cause: nil
        end

        def failure(what)
          OceanBaseErrors.failure(@collection, what)
        end

        # Yield a connection after sending statements.
        def lent(*sent)
          connection = taken(sent)
          begin
            yield connection
          rescue Mysql2::Error => e
            raise translation(connection, e)
          ensure
            @pool.give(connection)
          end
        end

        # Return a connection after sending statements; if one that was used before is lost, another one replaces it.
        def taken(sent)
          raise failure("is closed") if @is_closed

          loop do
            connection, used = @pool.take
            return connection if started?(connection, used, sent)
          end
        end

        def started?(connection, used, sent)
          (sent.empty? ? ["select 1"] : sent).each { |statement| connection.run_text(statement) }
          true
        rescue Exception => e # rubocop:disable Lint/RescueException -- raised again unless the connection is lost
          connection.close
          @pool.give(connection)
          raise unless e.is_a?(Mysql2::Error)
          raise translation(connection, e), cause: nil if connection.late? || !used

          false
        end

        def translation(connection, error)
          OceanBaseErrors.translated(@collection, @timeout, error, connection.late?)
        end

        # End the transaction; a connection that cannot is closed, since its state is unknown.
        def roll_back(connection)
          connection.run_text("rollback") unless connection.closed?
        rescue Mysql2::Error
          connection.close
        end

        def commit(connection)
          connection.run_text("commit")
        rescue Mysql2::Error => e
          connection.close
          raise if OceanBaseErrors::ROLLED_BACK.include?(OceanBaseErrors.code(e))

          raise OceanBaseErrors.unknown_outcome(@collection)
        end

        def checked(row)
          raise failure("holds other tables than a collection has") if row.nil?
          return row if row[0] == VERSION

          raise failure("has the schema version #{row[0]}, and this version of the library reads #{VERSION}")
        end

        # Find the collection; create it if it is missing and `migrate` is set.
        def found(migrate)
          lent do |connection|
            prefix = "#{@collection}_meta"
            is_made = connection.rows("found", length: prefix.length, prefix:).any?
            make(connection) if migrate && !is_made
            checked(connection.row("meta"))
          end
        rescue Exception # rubocop:disable Lint/RescueException -- raised again
          @pool.close
          raise
        end

        def make(connection)
          MADE.each { |table| connection.run("create_#{table}") }
          connection.run("begin_meta", version: VERSION)
        end

        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end
      end
    end
  end
end
