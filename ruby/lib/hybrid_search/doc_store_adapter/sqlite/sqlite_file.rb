# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Creates and opens an index file, and reads and writes it in transactions (SQL-1 … SQL-4).
      class SqliteFile
        include Base::ShortInspect

        PAUSE = 0.01
        # The maximum number of seconds to wait for another process that is opening or closing the file.
        LONGEST_LOOK = 0.5
        STILL = "ro&immutable=1"
        TO_BE_CONVERTED = "has the schema version #{SqliteConversion::BEFORE}, and this version of the library reads " \
                          "#{SqliteSchema::VERSION}; open it once where it can be written, and it is converted".freeze
        FILES = ObjectSpace::WeakMap.new
        # A lock that is held while a file is examined and opened: closing a file removes the locks that SQLite has on
        # it.
        OPENING = Thread::Mutex.new
        private_constant :FILES, :OPENING

        # @return [String] its path
        attr_reader :path

        # @param path [String] the path of the file; it is created if it does not exist, unless it is opened for reading
        #   only
        # @param read_only [Boolean] whether nothing may be written
        # @param timeout [Float] the time to wait for other writers, in seconds
        # @param synchronous [String] "full" or "normal"
        # @raise [ConfigurationError] the gem sqlite3 is not installed
        # @raise [DocStoreError] the file cannot be opened, or is not an index file that this version can read
        # @raise [IndexCorruptError] the file is damaged
        def initialize(path, read_only, timeout, synchronous)
          load_gem
          @path = path
          @read_only = read_only
          @timeout = timeout
          @synchronous = synchronous
          @writing = Thread::Mutex.new
          @place = SqlitePlace.new(path)
          @place.check(read_only)
          @full_path = File.absolute_path(path)
          @key = nil
          @is_replaced = false
          @refused = nil
          @pool = SqlitePool.new(method(:connect), -> { SqliteErrors.failure(path, "is closed") })
          FILES[self] = self
          translating { lent(false) { |connection| prepare(connection) } }
        end

        # @return [Array(Integer, Integer), nil] device and inode of the file
        attr_reader :key
        # @return [String] its absolute path
        attr_reader :full_path
        # @return [SqlitePool] its connections
        attr_reader :pool

        # @yieldparam connection [SqliteConnection] a connection that sees one state of the file
        def reading
          borrowed do |connection|
            connection.run("BEGIN")
            begin
              yield connection
            ensure
              roll_back(connection)
            end
          end
        end

        # @yieldparam connection [SqliteConnection] a connection whose changes are all stored if the block ends without
        #   an error
        def writing(&block)
          raise SqliteErrors.failure(@path, "can only be read") if @read_only

          @writing.synchronize do
            borrowed(writes: true) do |connection|
              found = changing(connection) { block.call(connection) }
              check_key # nothing is acknowledged that nobody will see
              found
            end
          end
        end

        # Close the file; later calls fail.
        #
        # @return [void]
        def close
          @pool.close
        end

        private

        def load_gem
          require "sqlite3"
        rescue LoadError
          raise ConfigurationError, 'an index file needs the gem sqlite3: add gem "sqlite3" to the Gemfile'
        end

        def changing(connection)
          connection.run("BEGIN IMMEDIATE")
          connection.is_marked = false
          done = false
          begin
            found = yield
            connection.run("COMMIT")
            done = true
            found
          ensure
            roll_back(connection) unless done
          end
        end

        def roll_back(connection)
          connection.run("ROLLBACK")
        rescue SQLite3::Exception
          nil
        end

        def borrowed(writes: false, &block)
          check_key
          translating { lent(writes, &block) }
        end

        def lent(writes)
          connection = taken(writes)
          usable = false
          begin
            found = yield connection
            usable = !connection.in_transaction?
            found
          ensure
            @pool.give(connection, usable)
          end
        end

        def taken(writes)
          connection = @pool.take
          return connection if connection.version.nil? || (!writes && connection.version == @place.version)

          @pool.give(connection, false)
          @pool.drop_idle
          connection = @pool.take
          return connection unless writes && connection.version && @refused

          @pool.give(connection, true)
          raise SqliteErrors.unwritable(@path, @refused)
        end

        def translating
          yield
        rescue SQLite3::Exception => e
          raise SqliteErrors.translated(@path, @timeout, e)
        end

        # Refuse to continue if the path now leads to another file, or to no file.
        def check_key
          return if @key.nil? || (!@is_replaced && @key == @place.key)

          @is_replaced = true # its inode may be given again
          @pool.drop_idle
          raise SqliteErrors.failure(@path, SqliteErrors::REPLACED)
        end

        def connect
          OPENING.synchronize do
            key = @place.key
            check_neighbours(key) if key && key != @key
            connection = connection()
            @key ||= @place.key
            next connection if @key == @place.key

            connection.close
            raise SqliteErrors.failure(@path, SqliteErrors::REPLACED)
          end
        end

        # Refuse a file that is not an SQLite database, or that is next to the files of a replaced one.
        def check_neighbours(key)
          files = FILES.values.select { |file| !file.equal?(self) && file.key && file.pool.open? }
          used = files.map { |file| file.full_path == @full_path && file.key != key && file.pool.drop_idle }
          raise SqliteErrors.failure(@path, SqliteErrors::OPEN_ELSEWHERE) if used.any?
          return if files.any? { |file| file.key == key }

          @place.check_content
          wait_for_another
          check_log if @place.log_size.positive?
        end

        def wait_for_another
          deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LONGEST_LOOK
          while @place.of_another?
            late = Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
            raise SqliteErrors.failure(@path, SqliteErrors::OPEN_ELSEWHERE) if late

            sleep(PAUSE)
          end
        end

        # Refuse a log that was written for another file.
        def check_log
          connection = SqliteConnection.new(@path, STILL, 0.0)
          begin
            root = connection.row("SELECT rootpage FROM sqlite_master WHERE name = 'state'")
            state = root && SqliteState.read(connection)
            @place.check_log(root[0], state.mark) if root && state
          ensure
            connection.close
          end
        rescue SQLite3::Exception
          nil
        end

        def connection
          begin
            return connected(@read_only ? "ro" : "rwc")
          rescue SQLite3::Exception => e
            raise unless SqliteErrors::CANNOT_LOG.include?(SqliteErrors.code(e))
            raise SqliteErrors.failure(@path, SqliteErrors::WAITING) if @place.log_size.positive?

            @refused = e
          end
          version = @place.version
          connected(STILL).tap { |connection| connection.version = version }
        end

        def connected(mode)
          connection = SqliteConnection.new(@path, mode, @timeout)
          begin
            connection.run("PRAGMA synchronous = #{@synchronous}")
            connection.value("PRAGMA schema_version")
            connection
          rescue StandardError
            connection.close
            raise
          end
        end

        def prepare(connection)
          create(connection) unless index?(connection)
          convert(connection) if connection.value("PRAGMA user_version") == SqliteConversion::BEFORE
          keep_log(connection) unless @read_only || connection.version
        end

        # Convert the file to this schema, unless another process has done so meanwhile.
        def convert(connection)
          raise SqliteErrors.failure(@path, TO_BE_CONVERTED) if @read_only || connection.version

          changing(connection) do
            next unless connection.value("PRAGMA user_version") == SqliteConversion::BEFORE

            SqliteConversion.new(SqliteTables.new(@path, connection)).convert
          end
          shrink(connection)
        end

        # Shrink the file. If other processes read it, it keeps its size, with free room in it.
        def shrink(connection)
          connection.run("VACUUM")
        rescue SQLite3::Exception
          nil
        end

        # Return whether the file is an index; an empty database is not one yet.
        def index?(connection)
          application = connection.value("PRAGMA application_id")
          version = connection.value("PRAGMA user_version")
          if application == SqliteSchema::APPLICATION
            return true if [SqliteConversion::BEFORE, SqliteSchema::VERSION].include?(version)

            what = "has the schema version #{version}, and this version of the library reads #{SqliteSchema::VERSION}"
            again = version < SqliteSchema::VERSION ? "; index its records again" : ""
            raise SqliteErrors.failure(@path, what + again)
          end
          empty = application.zero? && version.zero? && connection.value("SELECT count(*) FROM sqlite_master").zero?
          raise SqliteErrors.failure(@path, SqliteErrors::NO_INDEX) unless empty

          false
        end

        # Create the tables, unless another process has created them meanwhile.
        def create(connection)
          raise SqliteErrors.failure(@path, SqliteErrors::NO_INDEX) if @read_only

          connection.run("PRAGMA page_size = #{SqliteSchema::PAGE_SIZE}")
          changing(connection) do # not in the log yet: the file itself has the first mark
            next if index?(connection)

            SqliteSchema::TABLES.split(";\n").each { |statement| connection.run(statement) }
            SqliteState.empty.write(connection)
            connection.run("PRAGMA application_id = #{SqliteSchema::APPLICATION}")
            connection.run("PRAGMA user_version = #{SqliteSchema::VERSION}")
          end
        end

        # Turn on write-ahead logging; SQLite does not wait for others that do the same at this moment.
        def keep_log(connection)
          deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + @timeout
          begin
            connection.run("PRAGMA journal_mode = WAL")
          rescue SQLite3::Exception => e
            late = Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
            raise if late || SqliteErrors.code(e) != SqliteErrors::BUSY

            sleep(PAUSE)
            retry
          end
        end
      end
    end
  end
end
