# frozen_string_literal: true

module HybridSearch
  module Storing
    # An index file: made, opened, and read and written in transactions (SQL-1 … SQL-4).
    class SqliteFile
      include ShortInspect

      PAUSE = 0.01
      IDENTITY_BYTES = 16
      MAGIC = "SQLite format 3\0".b.freeze

      # @return [String] where it is
      attr_reader :path

      # @param path [String] where it is; made when there is none, unless it is only to be read
      # @param read_only [Boolean] whether nothing may be written
      # @param timeout [Float] for how many seconds other writers are waited for
      # @param synchronous [String] "full" or "normal"
      # @raise [ConfigurationError] the gem sqlite3 is not installed
      # @raise [DocStoreError] it cannot be opened, or is no index file that this version can read
      # @raise [IndexCorruptError] it is damaged
      def initialize(path, read_only, timeout, synchronous)
        load_gem
        @path = path
        @read_only = read_only
        @timeout = timeout
        @synchronous = synchronous
        @writing = Thread::Mutex.new
        check_path
        @pool = SqlitePool.new(method(:connect), -> { SqliteErrors.failure(path, "is closed") })
        borrowed { |connection| create(connection) unless index?(connection) }
      end

      # @yieldparam connection [SqliteConnection] one that sees one state of the file
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

      # @yieldparam connection [SqliteConnection] one whose changes are kept, all of them, once the block has ended
      #   without an error
      def writing(&block)
        raise SqliteErrors.failure(@path, "can only be read") if @read_only

        @writing.synchronize do
          borrowed { |connection| changing(connection) { block.call(connection) } }
        end
      end

      # Close the file; whoever asks afterwards gets an error.
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

      def borrowed
        connection = @pool.take
        usable = false
        begin
          found = yield connection
          usable = !connection.in_transaction?
          found
        ensure
          @pool.give(connection, usable)
        end
      rescue SQLite3::Exception => e
        raise SqliteErrors.translated(@path, @timeout, e)
      end

      def check_path
        raise SqliteErrors.failure(@path, "is a directory") if File.directory?(@path)

        unless File.directory?(File.dirname(File.absolute_path(@path)))
          raise SqliteErrors.failure(@path, "cannot be opened: its directory does not exist")
        end
        raise SqliteErrors.failure(@path, "does not exist") if @read_only && !File.exist?(@path)
        # A short one SQLite would take for an empty database.
        raise SqliteErrors.failure(@path, SqliteErrors::NO_INDEX) unless ["", MAGIC].include?(head)
      end

      def head
        File.exist?(@path) ? File.binread(@path, MAGIC.bytesize).to_s : ""
      rescue SystemCallError
        raise SqliteErrors.failure(@path, "cannot be opened")
      end

      def connect
        connected(@read_only ? "ro" : "rwc")
      rescue SQLite3::Exception => e
        raise unless still?(e)

        connected("ro&immutable=1")
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

      # Whether SQLite could not make its files beside one in which nothing waits to be written.
      def still?(error)
        SqliteErrors.code(error) == SqliteErrors::CANTOPEN && !File.size?("#{@path}-wal")
      end

      # Whether it is one; an empty database is none yet.
      def index?(connection)
        application = connection.value("PRAGMA application_id")
        version = connection.value("PRAGMA user_version")
        if application == SqliteSchema::APPLICATION
          return true if version == SqliteSchema::VERSION

          what = "has the schema version #{version}, and this version of the library reads #{SqliteSchema::VERSION}"
          again = version < SqliteSchema::VERSION ? "; index its records again" : ""
          raise SqliteErrors.failure(@path, what + again)
        end
        empty = application.zero? && version.zero? && connection.value("SELECT count(*) FROM sqlite_master").zero?
        raise SqliteErrors.failure(@path, SqliteErrors::NO_INDEX) unless empty

        false
      end

      # Make the tables, unless another process has made them meanwhile.
      def create(connection)
        raise SqliteErrors.failure(@path, SqliteErrors::NO_INDEX) if @read_only

        connection.run("PRAGMA page_size = #{SqliteSchema::PAGE_SIZE}")
        keep_log(connection)
        changing(connection) do
          next if index?(connection)

          SqliteSchema::TABLES.split(";\n").each { |statement| connection.run(statement) }
          SqliteState.new(0, 0, 0, 0, 0, Random.urandom(IDENTITY_BYTES)).write(connection)
          connection.run("PRAGMA application_id = #{SqliteSchema::APPLICATION}")
          connection.run("PRAGMA user_version = #{SqliteSchema::VERSION}")
        end
      end

      # Write ahead into a log; SQLite does not wait for others who do the same at this moment.
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
