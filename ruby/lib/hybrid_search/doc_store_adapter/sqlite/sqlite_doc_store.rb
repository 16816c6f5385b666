# frozen_string_literal: true

module HybridSearch
  # Documents in an index file, an SQLite database that both languages read and write (SQL-1 … SQL-5); scores and order
  # are those of a {MemoryDocStore}, bit for bit. Needs the gem sqlite3.
  #
  # A batch is one transaction. Each search sees one state of the file. One process, of either language, writes at a
  # time; a second one waits for it. Stored documents stay stored, even if a process is killed. Safe to use from several
  # threads, and in a forked child.
  #
  #   HybridSearch::SqliteDocStore.open("handbook.hsx") { |store| puts store.count }
  class SqliteDocStore < Stores::Tables::TableStore
    OPTIONS = %w[path bm25 kernels read_only timeout synchronous memory].freeze
    SYNCHRONOUS = %w[full normal].freeze
    LONGEST_TIMEOUT = 86_400.0
    MEGABYTE = 1 << 20
    NOT_COUNTED = [-1, {}.freeze].freeze
    private_constant :OPTIONS, :SYNCHRONOUS, :LONGEST_TIMEOUT, :MEGABYTE, :NOT_COUNTED

    # @return [String] the path of the file
    attr_reader :path

    # Return a store, or with a block yield one that is closed after the block.
    #
    # @param path [String, #to_path] the path of the file; it is created if it is missing
    # @param options [Hash] see {#initialize}
    # @yieldparam store [SqliteDocStore]
    # @return [SqliteDocStore, Object] the store, or the value of the block
    def self.open(path, **options)
      store = new(path, **options)
      return store unless block_given?

      begin
        yield store
      ensure
        store.close
      end
    end

    # @param path [String, #to_path] the path of the file; the file is created if it does not exist
    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @param kernels [String, nil] "plain" or "fast", see {Base::Kernels.choice}
    # @param read_only [Boolean] whether the file must exist and nothing may be written
    # @param timeout [Float] the time to wait for another writer, in seconds
    # @param synchronous [String] "full": stored documents also survive a loss of power; "normal": the last batches may
    #   then be lost
    # @param memory [Integer] the maximum size of cached vectors, in megabytes; also that of cached lengths, ids and
    #   postings
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [ConfigurationError] the gem sqlite3 is not installed
    # @raise [DocStoreError] the file cannot be opened, or is not an index file that this version can read
    # @raise [IndexCorruptError] the file is damaged; likewise from every method
    def initialize(path, bm25: "okapi", kernels: nil, read_only: false, timeout: 5.0, synchronous: "full", memory: 512,
                   **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @path = checked_path(path)
      memory = Base::Validation.integer("memory", memory, 0) * MEGABYTE
      @kernels = Base::Kernels.choice(kernels)
      @make_documents = lambda do
        Base::Kernels.kernel("sqlite_documents", kernels).new(Stores::Snapshot::Bm25.of(bm25), memory)
      end
      super(@make_documents.call)
      @vector_counts = NOT_COUNTED
      @file = Stores::Sqlite::SqliteFile.new(
        @path,
        Base::Validation.boolean("read_only", read_only),
        Base::Validation.number("timeout", timeout, 0, LONGEST_TIMEOUT),
        Base::Validation.choice("synchronous", synchronous, SYNCHRONOUS)
      )
    end

    # Close the file; every other method raises a {DocStoreError} after that.
    #
    # @return [void]
    def close
      @file.close
    end

    # @param name [String]
    # @return [String, nil] the text that a program has noted in the file under a name; it is not part of the documents
    def note(name)
      Base::Validation.text("name", name)
      reading { |tables| tables.note(name) }
    end

    # Note a text in the file under a name; it replaces the text that was noted there before.
    #
    # @param name [String]
    # @param text [String]
    # @return [void]
    def set_note(name, text)
      key = Base::Validation.text("name", name).b
      content = Base::Validation.text("text", text).b
      writing do |tables|
        tables.connection.run("REPLACE INTO notes VALUES (?, ?, ?)", key, content,
                              Stores::Tables::RowChecksum.of([], key, content))
        tables.change_state
      end
      nil
    end

    # Yield a store without documents; its contents at the end of the block replace all documents.
    #
    # Until then readers, in any process, see the old documents, and writers wait up to their `timeout`. Afterwards
    # readers see the new ones without opening the file again. If the block ends with an error, or the process is
    # killed, nothing changes. Notes remain.
    #
    #   store.rebuilding { |fresh| fresh.insert([{ "id" => "1", "content_ltks" => "rule" }]) }
    #
    # @yieldparam fresh [SqliteDocStore]
    # @return [Object] the value of the block
    # @raise [DocStoreError] the file can only be read, another process is writing, or the disk is full
    def rebuilding
      writing do |tables|
        Stores::Sqlite::SqliteRebuild::EMPTIED.each { |table| tables.connection.run("DELETE FROM #{table}") }
        Stores::Sqlite::SqliteChanges.new(tables).clear
        tables.change_state(generation: tables.generation + 1, documents: 0, numbers: 0, fields: 0)
        file = Stores::Sqlite::SqliteRebuild.new(@path, tables.connection)
        begin
          yield dup.take(file)
        ensure
          file.close
        end
      end
    end

    # Read the whole file.
    #
    # @return [Array<String>] its damage, in sentences; empty for a sound file
    # @raise [DocStoreError] the file cannot be read
    def check
      @file.reading { |connection| Stores::Sqlite::SqliteCheck.new(connection).findings }
    end

    protected

    # Use a file that is rebuilt.
    def take(file)
      @file = file
      @documents = @make_documents.call
      @vector_counts = NOT_COUNTED
      self
    end

    private

    def inspected
      { path: @path }
    end

    def checked_path(path)
      name = Base::Validation.text("path", path.respond_to?(:to_path) ? path.to_path : path)
      raise Base::Validation.failure("path", name, "the path of a file") if name.empty? || name.include?("\0")

      name
    end

    def reading
      @file.reading { |connection| yield Stores::Sqlite::SqliteTables.new(@path, connection) }
    end

    def writing
      @file.writing { |connection| yield Stores::Sqlite::SqliteTables.new(@path, connection) }
    end

    def counted_vectors(tables)
      state, counts = @vector_counts
      return counts if state == tables.state

      counts = tables.vector_counts
      @vector_counts = [tables.state, counts]
      counts
    end

    def writer(tables)
      Stores::Sqlite::SqliteWriter.new(tables, @kernels)
    end
  end
end
