# frozen_string_literal: true

require "fileutils"
require "made_documents"
require "operations/doc_store"
require "tmpdir"

# Operations of index files (SQL-1 … SQL-6): one that is opened, closed, changed from outside, and opened again.
module IndexFileOperations
  Packing = HybridSearch::Stores::Sqlite::SqlitePacking
  Checksum = HybridSearch::Stores::Tables::RowChecksum

  # A file and the stores that are open.
  class Script
    SHOWN = "index.hsx"
    OF_FILE = %w[
      open open_at close sql meanwhile locked keep put beneath folder pipe overwrite unpack write remove beside
      index use
    ].freeze
    # The table of texts of schema 3.
    EARLIER_TEXTS = "CREATE TABLE texts (number INTEGER PRIMARY KEY, content TEXT NOT NULL, checksum INTEGER NOT NULL)"

    def initialize(folder, name, bm25)
      @folder = folder
      @path = File.join(folder, name)
      @bm25 = bm25
      @stores = []
      @kept = {}
    end

    def step(method, *arguments)
      OF_FILE.include?(method) ? public_send(method, *arguments) : of_store(method).call(*arguments)
    rescue HybridSearch::Error => e
      { "error" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message.gsub("#{@folder}/", "") }
    end

    def close
      @stores.each(&:close)
      @stores.clear
      nil
    end

    def open(options = nil)
      given = { bm25: @bm25, **(options || {}).transform_keys(&:to_sym) }
      @stores << HybridSearch::SqliteDocStore.new(@path, **given)
      true
    end

    # Open a store of another file, or of none, and close it.
    def open_at(name, options = nil)
      path = name.empty? ? name : "#{@folder}/#{name}"
      HybridSearch::SqliteDocStore.new(path, **(options || {}).transform_keys(&:to_sym)).close
      true
    end

    # Open and close an index of the file with the embedding of a name.
    def index(embedding)
      HybridSearch::Index.new(path: @path, embedding:).close
      true
    end

    # Ask the store that was opened at a place from now on.
    def use(place)
      @stores << @stores.delete_at(place)
      nil
    end

    def sql(*statements)
      close
      meanwhile(*statements)
    end

    # The same while the stores are open.
    def meanwhile(*statements)
      require "sqlite3" # which the library needs for files alone
      database = SQLite3::Database.new(@path)
      rows = statements.map { |statement| database.execute(statement) }.last
      rows.map { |row| row.map { |value| blob?(value) ? value.unpack1("H*") : value } }
    ensure
      database&.close
    end

    # What a step answers while another connection writes.
    def locked(step)
      database = SQLite3::Database.new(@path)
      database.execute("BEGIN IMMEDIATE")
      step(*step)
    ensure
      database&.close
    end

    # Keep what the file and its log hold at this moment, whether or not stores are open.
    def keep(name)
      found = ["", "-wal"].select { |ending| File.exist?(@path + ending) }
      @kept[name] = found.to_h { |ending| [ending, File.binread(@path + ending)] }
      nil
    end

    # Put back what was kept of a file and of a log without its last bytes, as if the power had failed then.
    def put(file, log = nil, cut = 0)
      close
      FileUtils.rm_f(["#{@path}-wal", "#{@path}-shm"])
      File.binwrite(@path, @kept[file][""])
      File.binwrite("#{@path}-wal", @kept[log]["-wal"][0..(-1 - cut)]) if log
      nil
    end

    def beneath(name)
      File.binwrite(@path, @kept[name][""]).positive?
    end

    def folder
      FileUtils.mkdir(@path)
      nil
    end

    def pipe
      File.mkfifo(@path)
      nil
    end

    def overwrite(place, digits)
      close
      File.open(@path, "r+b") do |file|
        file.seek(place)
        file.write([digits].pack("H*"))
      end
      nil
    end

    # Make the file one of schema 3, which did not pack texts and places and had no table `changes`.
    def unpack
      close
      require "sqlite3"
      database = SQLite3::Database.new(@path)
      unpack_texts(database)
      unpack_places(database, "terms", "term", "token", "field, documents, chunks")
      unpack_places(database, "postings", "chunk", "x''", "chunk")
      database.execute("PRAGMA user_version = 3")
      nil
    ensure
      database&.close
    end

    def write(text)
      File.binwrite(@path, text).positive?
    end

    def remove(ending = "")
      File.unlink(@path + ending)
      nil
    end

    # Make what SQLite would make beside the file: a file of a text, or a link that leads nowhere.
    def beside(ending, text = nil)
      if text
        File.write(@path + ending, text)
      else
        File.symlink(File.join(File.dirname(@path), "nowhere", SHOWN), @path + ending)
      end
      nil
    end

    private

    def unpack_texts(database)
      texts = database.execute("SELECT number, content FROM texts")
      ["DROP TABLE texts", "DROP TABLE changes", EARLIER_TEXTS].each { |statement| database.execute(statement) }
      texts.each do |number, packed|
        text = Packing.unpack_text(packed)
        database.execute("INSERT INTO texts VALUES (?, ?, ?)", [number, text, Checksum.of([number], text)])
      end
    end

    # Write the places of a table as schema 3 had them; checksums cover the integers in `columns`, and tokens.
    def unpack_places(database, table, key, token, columns)
      rows = database.execute("SELECT #{key}, #{token}, places, #{columns} FROM #{table}")
      rows.each do |row, name, packed, *numbers|
        places = Packing.unpack_places([packed])
        values = [SQLite3::Blob.new(places), Checksum.of(numbers, name, places), row]
        database.execute("UPDATE #{table} SET places = ?, checksum = ? WHERE #{key} = ?", values)
      end
    end

    def blob?(value)
      value.is_a?(::String) && value.encoding == Encoding::BINARY
    end

    def of_store(method)
      store = @stores.last
      data = Conformance::DocStoreData
      case method
      when "fill" then ->(first, count) { store.insert(Conformance::MadeDocuments.make(first...(first + count))) }
      when "text" then ->(text, filters = nil) { store.text_leg(data.text(text), filters) }
      when "dense" then ->(dense, filters = nil) { store.dense_leg(data.dense(dense), filters) }
      when "rank" then ->(match, filters = nil) { store.rank(data.exprs(match), filters) }
      when "rebuild" then ->(*steps) { rebuilt(store, steps) }
      when "embedding" then -> { HybridSearch::Stores::Sqlite::FileEmbedding.choice_of(store)&.to_h }
      when "search" then ->(match, options) { data.result(searched(store, match, options)) }
      else store.method(method)
      end
    end

    # What steps answer of the store that takes the place of another one; an error ends it. `attempt`, a step, goes on
    # after an error; `outside`, a step, asks the store whose place is taken.
    def rebuilt(store, steps)
      store.rebuilding do |fresh|
        @stores.push(fresh)
        steps.map { |step| of_rebuild(store, *step) }
      ensure
        @stores.pop
      end
    end

    def of_rebuild(outside, method, *arguments)
      case method
      when "attempt" then step(*arguments[0])
      when "outside"
        @stores.push(outside)
        step(*arguments[0]).tap { @stores.pop }
      else of_store(method).call(*arguments)
      end
    end

    def searched(store, match, options)
      store.search(match_exprs: Conformance::DocStoreData.exprs(match), **options.transform_keys(&:to_sym))
    end
  end

  # Indexes of one file; the form of a step is stated in the reference's `operations/index_files.py`.
  class Indexes
    def initialize(path)
      @path = path
      @opened = []
    end

    def step(method, argument = nil, options = nil)
      given = (options || {}).transform_keys(&:to_sym)
      given[:embedding] = embedding(given[:embedding]) if given[:embedding].is_a?(Hash)
      answer(method, argument, given)
    rescue HybridSearch::Error => e
      { "error" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message.gsub(@path, Script::SHOWN) }
    end

    def close
      @opened.each(&:close)
    end

    private

    def answer(method, argument, given)
      case method
      when "open" then @opened.push(HybridSearch::Index.new(path: @path, **given)) && true
      when "use" then @opened.push(@opened.delete_at(argument)) && true
      when "search" then found(@opened.last.search(argument, **given))
      else @opened.last.public_send(method, *[argument].compact, **given)
      end
    end

    def found(page)
      { "hits" => page.map { |hit| [hit.id, hit.score] }, "warnings" => page.warnings }
    end

    def embedding(chosen)
      hashing = HybridSearch::HashingEmbedder.new(dimension: chosen["dimension"])
      HybridSearch::Embedding.new(hashing, model: chosen["model"])
    end
  end

  module_function

  # The answers of steps of a file.
  def answers(folder, name, bm25, steps)
    FileUtils.mkdir_p(File.dirname(File.join(folder, name)))
    script = Script.new(folder, name, bm25)
    steps.map { |step| script.step(*step) }
  ensure
    script&.close
  end

  # The files in a folder, by their paths from there.
  def files(folder)
    paths = Dir.glob("**/*", File::FNM_DOTMATCH, base: folder)
    paths.select { |path| File.file?(File.join(folder, path)) }.sort
  end
end

Conformance.operation("index_files.script") do |params, given, _trace|
  Dir.mktmpdir do |folder|
    name = IndexFileOperations::Script::SHOWN
    IndexFileOperations.answers(folder, name, params.fetch("bm25", "okapi"), given["steps"])
  end
end

Conformance.operation("index_files.paths") do |_params, given, _trace|
  Dir.mktmpdir do |folder|
    answers = given["names"].map { |name| IndexFileOperations.answers(folder, name, "okapi", given["script"]) }
    { "answers" => answers, "files" => IndexFileOperations.files(folder) }
  end
end

Conformance.operation("index_files.indexes") do |_params, given, _trace|
  Dir.mktmpdir do |folder|
    indexes = IndexFileOperations::Indexes.new(File.join(folder, IndexFileOperations::Script::SHOWN))
    given["steps"].map { |step| indexes.step(*step) }
  ensure
    indexes&.close
  end
end
