# frozen_string_literal: true

require "made_documents"
require "operations/doc_store"
require "tmpdir"

# Operations of index files (SQL-1 … SQL-4): one that is opened, closed, changed from outside, and opened again.
module IndexFileOperations
  # A file and the stores that are open.
  class Script
    SHOWN = "index.hsx"
    OF_FILE = %w[open close sql overwrite write remove beside index use].freeze

    def initialize(folder, bm25)
      @path = File.join(folder, SHOWN)
      @bm25 = bm25
      @stores = []
    end

    def step(method, *arguments)
      OF_FILE.include?(method) ? public_send(method, *arguments) : of_store(method).call(*arguments)
    rescue HybridSearch::Error => e
      { "error" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message.gsub(@path, SHOWN) }
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
      require "sqlite3" # which the library needs for files alone
      database = SQLite3::Database.new(@path)
      rows = statements.map { |statement| database.execute(statement) }.last
      rows.map { |row| row.map { |value| blob?(value) ? value.unpack1("H*") : value } }
    ensure
      database&.close
    end

    def overwrite(place, digits)
      close
      File.open(@path, "r+b") do |file|
        file.seek(place)
        file.write([digits].pack("H*"))
      end
      nil
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
      when "search" then ->(match, options) { data.result(searched(store, match, options)) }
      else store.method(method)
      end
    end

    # What steps answer of the store that takes the place of another one; an error ends it.
    def rebuilt(store, steps)
      store.rebuilding do |fresh|
        @stores.push(fresh)
        steps.map { |name, *arguments| of_store(name).call(*arguments) }
      ensure
        @stores.pop
      end
    end

    def searched(store, match, options)
      store.search(match_exprs: Conformance::DocStoreData.exprs(match), **options.transform_keys(&:to_sym))
    end
  end
end

Conformance.operation("index_files.script") do |params, given, _trace|
  Dir.mktmpdir do |folder|
    script = IndexFileOperations::Script.new(folder, params.fetch("bm25", "okapi"))
    given["steps"].map { |step| script.step(*step) }
  ensure
    script&.close
  end
end
