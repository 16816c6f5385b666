# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # One connection to an index file: the operations of SQLite that the library uses (SQL-3). One thread at a time
      # may use it.
      #
      # Every method raises an `SQLite3::Exception` if SQLite refuses or fails.
      class SqliteConnection
        include Base::ShortInspect

        SETTINGS = ["trusted_schema = OFF", "cell_size_check = ON", "cache_size = -16384", "temp_store = MEMORY",
                    "journal_size_limit = #{64 << 20}"].freeze
        # The modes => the flags of `sqlite3_open_v2`.
        FLAGS = { "rwc" => 0x2 | 0x4, "ro" => 0x1, "ro&immutable=1" => 0x1 }.freeze
        URI_NAME = 0x40
        NO_PLAIN_CHARACTER = %r{[^A-Za-z0-9/._~-]}n
        PAUSE = 0.005
        private_constant :FLAGS, :URI_NAME, :NO_PLAIN_CHARACTER

        # @return [Array<Object>, nil] the version of the file, if it is read without regard to writers
        attr_accessor :version
        # @return [Boolean] whether the open transaction has written its mark
        attr_accessor :is_marked

        # @param path [String] the path of the file
        # @param mode [String] "rwc" to read, write and create the file, "ro" to read it, "ro&immutable=1" to read it
        #   without regard to writers
        # @param timeout [Float] the time to wait for other writers, in seconds
        def initialize(path, mode, timeout)
          written = File.absolute_path(path).b.gsub(NO_PLAIN_CHARACTER) { |byte| format("%%%02X", byte.ord) }
          @statements = {}
          @is_marked = false
          @database = SQLite3::Database.new("file://#{written}?mode=#{mode}", flags: FLAGS.fetch(mode) | URI_NAME)
          begin
            wait_for_others(timeout)
            SETTINGS.each { |setting| run("PRAGMA #{setting}") }
          rescue StandardError
            close
            raise
          end
        end

        # @return [Boolean] whether a transaction is open
        def in_transaction?
          @database.transaction_active?
        end

        # @param statement [String] a query
        # @param values [Array<Object>] its values
        # @return [Array<Array>] all its rows
        def rows(statement, *values)
          asked(statement, values) do |prepared|
            found = []
            while (row = prepared.step)
              found << row
            end
            found
          end
        end

        # @return [Array, nil] the first row of a query
        def row(statement, *values)
          asked(statement, values, &:step)
        end

        # @return [Object] the one value of a query
        def value(statement)
          row(statement)[0]
        end

        # Run a statement.
        #
        # @return [void]
        def run(statement, *values)
          asked(statement, values) do |prepared|
            nil while prepared.step
          end
        end

        # @yieldparam row [Array] each row of a query, one after the other
        # @return [void]
        def each(statement, *values)
          asked(statement, values) do |prepared|
            while (row = prepared.step)
              yield row
            end
          end
        end

        # Run a statement for each row of values.
        #
        # @return [void]
        def run_many(statement, rows)
          rows.each { |values| asked(statement, values) { |prepared| nil while prepared.step } }
        end

        # Insert a row.
        #
        # @return [Integer] its key
        def insert(statement, *values)
          run(statement, *values)
          @database.last_insert_row_id
        end

        # Close the connection.
        #
        # @return [void]
        def close
          @statements.each_value(&:close)
          @statements.clear
          @database.close
        end

        private

        def asked(statement, values)
          prepared = @statements[statement] ||= @database.prepare(statement)
          begin
            # `bind_params` would search for arrays and hashes among the values; there are none.
            place = 0
            values.each { |value| prepared.bind_param(place += 1, value) }
            yield prepared
          ensure
            prepared.reset!
          end
        end

        # Wait for other writers. Other threads continue meanwhile. SQLite calls the block, so no error may leave it,
        # not even one from another thread.
        def wait_for_others(timeout)
          deadline = nil
          @database.busy_handler do |count|
            Thread.handle_interrupt(Exception => :never) do
              now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
              deadline = now + timeout if count.zero? || deadline.nil?
              sleep(PAUSE) if now < deadline
              now < deadline
            end
          end
        end
      end
    end
  end
end
