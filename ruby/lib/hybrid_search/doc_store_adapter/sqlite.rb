# frozen_string_literal: true

require "zlib"

module HybridSearch
  # Documents in an index file, an SQLite database that both languages read and write (SQL-1 … SQL-5); scores and order
  # are those of a {MemoryDocStore}, bit for bit. Needs the gem sqlite3.
  #
  # A batch is one transaction. Each search sees one state of the file, while one process, of either language, writes; a
  # second one waits for it. What has been stored stays, also where a process is killed. Safe to use from several
  # threads, and in a forked child.
  #
  #   HybridSearch::SqliteDocStore.open("handbook.hsx") { |store| puts store.count }
  class SqliteDocStore < DocStoreAdapter
    OPTIONS = %w[path bm25 kernels read_only timeout synchronous memory].freeze
    SYNCHRONOUS = %w[full normal].freeze
    LONGEST_TIMEOUT = 86_400.0
    MEGABYTE = 1 << 20
    private_constant :OPTIONS, :SYNCHRONOUS, :LONGEST_TIMEOUT, :MEGABYTE

    # @return [String] where the file is
    attr_reader :path

    # A store that is closed after the block, or one to close.
    #
    # @param path [String, #to_path] where the file is; made when there is none
    # @param options [Hash] see {#initialize}
    # @yieldparam store [SqliteDocStore]
    # @return [SqliteDocStore, Object] the store, or what the block gives
    def self.open(path, **options)
      store = new(path, **options)
      return store unless block_given?

      begin
        yield store
      ensure
        store.close
      end
    end

    # @param path [String, #to_path] where the file is; made when there is none
    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @param kernels [String, nil] "plain" or "fast", see {Kernels.choice}
    # @param read_only [Boolean] whether the file must be there and nothing may be written
    # @param timeout [Float] for how many seconds another writer is waited for
    # @param synchronous [String] "full": what is stored survives a loss of power too; "normal": the last batches may
    #   then be lost
    # @param memory [Integer] how many megabytes of vectors may be kept between two searches
    # @raise [InvalidInputError] an option is unknown or not acceptable
    # @raise [ConfigurationError] the gem sqlite3 is not installed
    # @raise [DocStoreError] the file cannot be opened, or is no index file that this version can read
    # @raise [IndexCorruptError] it is damaged; likewise from every method
    def initialize(path, bm25: "okapi", kernels: nil, read_only: false, timeout: 5.0, synchronous: "full", memory: 256,
                   **unknown)
      super()
      Validation.known("option", unknown.keys, OPTIONS)
      @path = checked_path(path)
      memory = Validation.integer("memory", memory, 0) * MEGABYTE
      @documents = Kernels.kernel("sqlite_documents", kernels).new(Storing::Bm25.of(bm25), memory)
      @file = Storing::SqliteFile.new(
        @path,
        Validation.boolean("read_only", read_only),
        Validation.number("timeout", timeout, 0, LONGEST_TIMEOUT),
        Validation.choice("synchronous", synchronous, SYNCHRONOUS)
      )
    end

    # Close the file; every other method then is a {DocStoreError}.
    #
    # @return [void]
    def close
      @file.close
    end

    # @see DocStoreAdapter#insert
    def insert(documents)
      accepted = Storing::Batch.accept(documents)
      write do |tables|
        Storing::Batch.check_new(accepted) { |identifier| tables.number(identifier) }
        accepted.map { |document| [nil, document] }
      end
    end

    # @see DocStoreAdapter#update
    def update(documents)
      change(documents) { |accepted, stored| Storing::Batch.changes(accepted, &stored) }
    end

    # @see DocStoreAdapter#upsert
    def upsert(documents)
      change(documents) { |accepted, stored| Storing::Batch.replacements(accepted, &stored) }
    end

    # @see DocStoreAdapter#delete
    def delete(identifiers)
      checked = Validation.texts("identifiers", identifiers)
      write do |tables|
        numbers = checked.uniq.filter_map { |identifier| tables.number(identifier) }
        numbers.map { |number| [tables.document(number), nil] }
      end
    end

    # @see DocStoreAdapter#get
    def get(identifier)
      Validation.text("identifier", identifier)
      with_tables do |tables|
        number = tables.number(identifier)
        document = number && tables.document(number)
        document ? document.fields.merge(document.vectors) : nil
      end
    end

    # @see DocStoreAdapter#count
    def count
      with_tables(&:count)
    end

    # @return [Integer] how many batches have changed something, since the file was made
    def generation
      with_tables(&:generation)
    end

    # @see DocStoreAdapter#health
    def health
      with_tables do |tables|
        { "status" => "green", "documents" => tables.count, "generation" => tables.generation }
      end
    end

    # @param name [String]
    # @return [String, nil] the text that a program has noted in the file under a name; no part of the documents
    def note(name)
      Validation.text("name", name)
      with_tables { |tables| tables.note(name) }
    end

    # Note a text in the file under a name, in the place of what was noted there before.
    #
    # @param name [String]
    # @param text [String]
    # @return [void]
    def set_note(name, text)
      key = Validation.text("name", name).b
      content = Validation.text("text", text).b
      @file.writing do |connection|
        connection.run("REPLACE INTO notes VALUES (?, ?, ?)", key, content, Zlib.crc32(content))
      end
    end

    # Reads all documents.
    #
    # @see DocStoreAdapter#stats
    def stats
      with_snapshot(&:stats)
    end

    # @see DocStoreAdapter#vector_models
    def vector_models
      with_tables(&:vector_models)
    end

    # @see DocStoreAdapter#keep_vector_model
    def keep_vector_model(field, model)
      return if Storing::VectorModels.keep(vector_models, field, model) { false }.nil?

      @file.writing do |connection|
        tables = Storing::SqliteTables.new(@path, connection)
        Storing::VectorModels.keep(tables.vector_models, field, model) { |name| tables.holds_vectors?(name) }
        connection.run("REPLACE INTO vector_models VALUES (?, ?)", field.b, Validation.text("model", model))
      end
      nil
    end

    # @see DocStoreAdapter#exact_text?
    def exact_text?
      true
    end

    # @see DocStoreAdapter#search
    def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0,
               rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: [])
      wanted = Storing::MemorySearch.new(select_fields:, filters:, match_exprs:, order_by:, limit:, offset:,
                                         rank_feature:, highlight_fields:, agg_fields:, keywords:)
      with_snapshot { |snapshot| snapshot.search(wanted) }
    end

    # @see DocStoreAdapter#rank
    def rank(match_exprs, filters = nil)
      parsed = Storing::MatchExprs.new(match_exprs)
      accepted = AdapterKit::Filters.new(filters)
      with_snapshot { |snapshot| snapshot.rank(parsed, accepted) }
    end

    # @param expr [AdapterKit::MatchTextExpr]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] the documents that match a text query, at most its `topn`, by ORD-1
    def text_leg(expr, filters = nil)
      rank([expr], filters)
    end

    # @param expr [AdapterKit::MatchDenseExpr]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] the documents nearest to a vector, at most its `topn`, only with enough
    #   similarity, by ORD-1
    def dense_leg(expr, filters = nil)
      rank([expr], filters)
    end

    private

    def inspected
      { path: @path }
    end

    def checked_path(path)
      name = Validation.text("path", path.respond_to?(:to_path) ? path.to_path : path)
      raise Validation.failure("path", name, "the path of a file") if name.empty? || name.include?("\0")

      name
    end

    def with_tables
      @file.reading { |connection| yield Storing::SqliteTables.new(@path, connection) }
    end

    def with_snapshot
      with_tables do |tables|
        yield Storing::MemorySnapshot.new(@documents.state(tables), tables.generation, tables.vector_models)
      end
    end

    # The block tells what the documents that are given become, beside those that are stored.
    def change(documents)
      accepted = Storing::Batch.accept(documents)
      write do |tables|
        found = {}
        stored = lambda do |identifier|
          number = tables.number(identifier)
          found[identifier] = tables.document(number) if number
        end
        yield(accepted, stored).map { |document| [found[document.identifier], document] }
      end
    end

    # Make and write a batch; gives how many documents are in it.
    def write
      @file.writing do |connection|
        tables = Storing::SqliteTables.new(@path, connection)
        found = yield tables
        Storing::SqliteWriter.new(connection, tables).write(found) unless found.empty?
        found.size
      end
    end
  end
end
