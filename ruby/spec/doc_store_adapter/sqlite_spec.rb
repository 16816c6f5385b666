# frozen_string_literal: true

require "spec_helper"
require "open3"
require "support/sqlite_gem"
require "tmpdir"

RSpec.describe HybridSearch::SqliteDocStore, skip: SqliteGem.missing do
  around do |example|
    Dir.mktmpdir do |folder|
      @folder = folder
      example.run
    end
  end

  let(:path) { File.join(@folder, "index.hsx") }
  let(:documents) { Array.new(40) { |place| { "id" => "d#{place}", "content_ltks" => "x w#{place}" } } }

  def has(word)
    kit = HybridSearch::AdapterKit
    [kit::MatchTextExpr.new(fields: [["content_ltks", 1.0]], tree: kit::Tree::Term.new(word), topn: 1000)]
  end

  def refused(message, error = HybridSearch::DocStoreError, &)
    expect(&).to raise_error(error, message)
  end

  it "is closed after its block" do
    kept = described_class.open(path) do |store|
      store.insert(documents)
      store
    end
    refused(/index\.hsx" is closed\z/) { kept.count }
    expect(described_class.open(path, &:count)).to eq(40)
    expect(Dir.children(@folder)).to eq(["index.hsx"])
  end

  it "is the store of an Index with a path" do
    record = { id: "1", content: "Rule 6-2-1: no assignment in sub-expressions" }
    expected = HybridSearch::Index.open(path, vector_similarity_weight: 0) do |index|
      index.add([record])
      index.search("assignment").hits
    end
    index = HybridSearch::Index.new(path:, vector_similarity_weight: 0)
    expect(index.search("assignment").hits).to eq(expected)
    index.close
    refused(/ is closed\z/) { index.count }
    refused(/\Astore and path exclude each other\z/, HybridSearch::InvalidInputError) do
      HybridSearch::Index.new(path:, store: HybridSearch::MemoryDocStore.new)
    end
    HybridSearch::Index.new.close
  end

  {
    embedding: 1, tokenizer: 1, synonyms: 1, term_weight: 1, fields: 1, title_weight: 2.0, any_vectors: 1,
    max_question_length: 0, max_results: 0, cursor_secret: "", ranking_cache: 1, kernels: "slow",
    observer: 1, limit: 0, candidates: 0, nonsense: 1
  }.each do |option, value|
    it "is not created if the #{option} of an Index is refused" do
      refused(/#{option}/, HybridSearch::InvalidInputError) { HybridSearch::Index.new(path:, option => value) }
      expect(Dir.children(@folder)).to eq([])
    end
  end

  it "is closed if its vectors are of another model than the model of the Index" do
    embedding = ->(model) { HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 8), model:) }
    index = HybridSearch::Index.new(path:, embedding: embedding.call("one"))
    index.add([{ id: "1", content: "assignment" }])
    index.close
    refused(/\Athe vectors of q_8_vec were made by the model /, HybridSearch::InvalidInputError) do
      HybridSearch::Index.new(path:, embedding: embedding.call("other"))
    end
    expect(Dir.children(@folder)).to eq(["index.hsx"]) # closing removes SQLite's own files
  end

  it "names the gem it needs" do
    program = <<~RUBY
      module Kernel
        alias required require
        def require(name) = name == "sqlite3" ? raise(LoadError, name) : required(name)
      end
      require "hybrid_search"
      begin
        HybridSearch::SqliteDocStore.new(ARGV[0])
      rescue HybridSearch::ConfigurationError => e
        print e.message
      end
    RUBY
    told, = Open3.capture2("ruby", "-I", File.expand_path("../../lib", __dir__), "-e", program, path)
    expect(told).to eq('an index file needs the gem sqlite3: add gem "sqlite3" to the Gemfile')
    expect(Dir.children(@folder)).to eq([])
  end

  it "reports what is wrong with a path or a file" do
    refused(%r{missing/a\.hsx" cannot be opened: its directory does not exist\z}) do
      described_class.new(File.join(@folder, "missing/a.hsx"))
    end
    refused(/ is a directory\z/) { described_class.new(@folder) }
    refused(/ does not exist\z/) { described_class.new(path, read_only: true) }
    refused(/\Apath must be the path of a file/, HybridSearch::InvalidInputError) { described_class.new("") }
    ["x", "no database, but long enough to be read as one" * 40].each do |content|
      File.binwrite(path, content)
      refused(/ is no index file\z/) { described_class.new(path) }
      expect(File.binread(path)).to eq(content)
    end
  end

  it "converts a file of the previous schema, unless it is opened for reading" do
    earlier = File.expand_path("../../../python_ref/tests/doc_store_adapter/schema_3.hsx.gz", __dir__)
    content = Zlib.gunzip(File.binread(earlier))
    File.binwrite(path, content)
    refused(/ reads 4; open it once where it can be written, and it is converted\z/) do
      described_class.new(path, read_only: true)
    end
    expect(File.binread(path)).to eq(content)
    described_class.open(path) do |store|
      expect(store.check).to eq([])
      expect([store.count, store.generation, store.note("who")]).to eq([68, 3, "tests"])
      expect(store.get("d010")["content_with_weight"]).to eq("运费 carrier\0 fee #{"x" * 200}")
    end
    HybridSearch::Index.open(path) do |index|
      expect(index.search("carrier fee", limit: 4).map(&:id)).to eq(%w[d027 d019 d063 d055])
    end
  end

  it "refuses a future schema, a damaged page and writes to a file opened for reading" do
    described_class.open(path) { |store| store.insert(documents) }
    described_class.open(path, read_only: true) do |store|
      refused(/ can only be read\z/) { store.delete(["d1"]) }
      expect(store.count).to eq(40)
    end
    content = File.binread(path)
    File.binwrite(path, content.dup.tap { |bytes| bytes[60, 4] = [5].pack("N") })
    refused(/ has the schema version 5, and this version of the library reads 4\z/) { described_class.new(path) }
    told = (1...(content.bytesize / 8192)).count do |page|
      File.binwrite(path, content.dup.tap { |bytes| bytes[page * 8192, 8192] = "\0" * 8192 })
      described_class.open(path) { |store| documents.each { |one| store.get(one["id"]) } && store.rank(has("x")) }
      false
    rescue HybridSearch::IndexCorruptError => e
      e.message.end_with?(" is damaged; take a copy of it, or build it again")
    end
    expect(told).to be > 3
  end

  it "refuses a pipe at once" do
    File.mkfifo(path)
    refused(/ is not a regular file\z/) { described_class.new(path) }
  end

  it "refuses a file that was replaced while it was open, and another file's log" do
    described_class.open("#{path}.new") { |store| store.insert(documents.take(2)) }
    described_class.open(path) do |store|
      store.insert(documents)
      File.rename("#{path}.new", path)
      refused(/ was replaced or removed after it was opened; open it again\z/) { store.insert([{ "id" => "lost" }]) }
      refused(/ was replaced or removed after it was opened; open it again\z/) { store.count }
      refused(/ the -wal file next to it belongs to another index file, /) { described_class.new(path) }
    end
    FileUtils.rm_f(["#{path}-wal", "#{path}-shm"])
    expect(described_class.open(path, &:count)).to eq(2)
  end

  # The system may reuse the inode number of a removed file; here a second name keeps it.
  it "does not let a store of a removed file authorize the log of another" do
    gone = "#{path}.gone"
    described_class.open(gone) { |store| store.insert(documents.take(2)) }
    File.link(gone, "#{path}.new")
    described_class.open(gone) do |left_open|
      expect(left_open.count).to eq(2)
      File.delete(gone)
      refused(/ was replaced or removed after it was opened; /) { left_open.count }
      described_class.open(path) do |store|
        store.insert(documents)
        File.rename("#{path}.new", path)
        refused(/ was replaced or removed after it was opened; /) { store.count }
        refused(/ the -wal file next to it belongs to another index file, /) { described_class.new(path) }
      end
    end
  end

  it "keeps its locks when a file is opened twice" do
    described_class.open(path) do |store|
      store.insert(documents)
      described_class.open(path, &:count)
      script = "HybridSearch::SqliteDocStore.open(ARGV[0]) { |store| print store.count }"
      lib = File.expand_path("../../lib", __dir__)
      expect(IO.popen(["ruby", "-I", lib, "-r", "hybrid_search", "-e", script, path], &:read)).to eq("40")
      expect(File.size?("#{path}-wal")).not_to be_nil
    end
  end

  it "does not share the log of a process that has the replaced file open" do
    described_class.open("#{path}.new") { |store| store.insert(documents.take(2)) }
    described_class.open(path) do |store|
      expect(store.count).to eq(0)
      File.rename("#{path}.new", path)
      script = "begin; HybridSearch::SqliteDocStore.new(ARGV[0]); rescue HybridSearch::Error => e; print e.message; end"
      lib = File.expand_path("../../lib", __dir__)
      told = IO.popen(["ruby", "-I", lib, "-r", "hybrid_search", "-e", script, path], &:read)
      expect(told).to include("cannot be opened: a process still has the file open that this one has replaced; ")
      refused(/ was replaced or removed /) { store.count }
    end
  end

  it "rebuilds a file: readers follow, and a rebuild that fails changes nothing" do
    described_class.open(path) do |store|
      reader = described_class.new(path)
      store.insert(documents)
      before = reader.rank(has("x"))
      store.rebuilding do |fresh|
        fresh.insert(documents.take(3))
        expect(fresh.count).to eq(3)
        expect(reader.rank(has("x"))).to eq(before)
      end
      expect([reader.count, reader.check]).to eq([3, []])
      expect { store.rebuilding { |fresh| fresh.delete(["d1"]) && raise("no more") } }.to raise_error("no more")
      expect([reader.count, store.insert([{ "id" => "more" }])]).to eq([3, 1])
      reader.close
    end
  end

  it "rebuilds an index with another embedding" do
    HybridSearch::Index.open(path, embedding: HybridSearch::HashingEmbedder.new(dimension: 8)) do |index|
      index.add([{ id: "1", content: "the first rule" }])
      records = Array.new(5) { |place| { id: place.to_s, content: "the first rule" } }
      expect(index.rebuild(records, embedding: HybridSearch::HashingEmbedder.new(dimension: 16),
                                    batch_size: 2)).to eq(5)
      expect(index.search("first rule")[0].scores.vector).to be > 0.5
      expect([index.store.vector_fields.keys, index.check]).to eq([["q_16_vec"], []])
    end
    expect { HybridSearch::Index.new.rebuild([]) }
      .to raise_error(HybridSearch::InvalidInputError, "only an index file can be rebuilt: open the index with a path")
  end

  it "reports a writer that holds the lock of the file" do
    described_class.open(path) do |store|
      other = described_class.new(path, timeout: 0.05)
      store.instance_variable_get(:@file).writing do
        refused(/ is locked: another process has not let go of it for 0\.05 seconds\z/) { other.insert(documents) }
        expect(other.count).to eq(0)
      end
      expect(other.insert(documents)).to eq(40)
      other.close
    end
  end

  it "can be read by another user in a directory that is not theirs" do
    skip "only root can be another user" unless Process.euid.zero?
    File.chmod(0o755, @folder)
    store = described_class.new(path)
    store.insert(documents)
    store.close
    statuses = [true, false].map { |read_only| Process.wait2(as_another_user(read_only))[1].exitstatus }
    expect(statuses).to eq([0, 0])
    described_class.open(path) do |writer| # whose log and its index exist meanwhile
      writer.insert([{ "id" => "later", "content_ltks" => "x" }])
      expect(Process.wait2(as_another_user(false, 41))[1].exitstatus).to eq(0)
    end
  end

  # A process of a user who may not write to the directory; 0 if it reads all documents and a change is refused.
  def as_another_user(read_only, count = 40)
    fork do
      Process.groups = []
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
      described_class.open(path, read_only:) do |store|
        store.insert([{ "id" => "new" }])
      rescue HybridSearch::DocStoreError => e
        read = [store.count, store.rank(has("x")).size] == [count, count]
        exit!(read && e.message.end_with?(" can only be read") ? 0 : 1)
      end
      exit!(2)
    rescue StandardError
      exit!(3)
    end
  end

  it "is used by several threads, and by forked children meanwhile" do
    described_class.open(path, synchronous: "normal") do |store|
      store.insert([{ "id" => "parent", "content_ltks" => "x" }])
      done = false
      threads = Array.new(2) do |thread|
        Thread.new do
          count = 0
          until done
            store.upsert([{ "id" => "t#{thread}-#{count}", "content_ltks" => "y" }])
            count += 1
            store.rank(has("x"))
          end
        end
      end
      statuses = Array.new(4) do |child|
        process = fork do
          store.insert([{ "id" => "child#{child}", "content_ltks" => "x" }])
          exit!(store.rank(has("x")).size >= 2 ? 0 : 1)
        end
        Process.wait2(process)[1].exitstatus
      end
      done = true
      threads.each(&:join)
      expect(statuses).to eq([0, 0, 0, 0])
      expect(store.rank(has("x")).size).to eq(5)
    end
  end

  it "preserves acknowledged documents when its process is killed" do
    program = <<~RUBY
      store = HybridSearch::SqliteDocStore.new(ARGV[0])
      place = ARGV[1].to_i
      loop do
        store.insert(Array.new(4) { |one| { "id" => "\#{place}-\#{one}", "content_ltks" => "x w\#{place}" } })
        puts place
        $stdout.flush
        place += 1
      end
    RUBY
    stored = 0
    3.times do
      command = ["ruby", "-I", File.expand_path("../../lib", __dir__), "-r", "hybrid_search", "-e", program]
      IO.popen([*command, path, stored.to_s]) do |writer|
        acknowledged = Array.new(3) { writer.gets.to_i }
        Process.kill(:KILL, writer.pid)
        acknowledged += writer.read.split.map(&:to_i)
        described_class.open(path) do |store|
          expect((store.count / 4) - 1 - acknowledged.last).to be_between(0, 1)
          expect(store.rank(has("x")).size).to eq(store.count)
          stored = store.count / 4
        end
      end
    end
    expect(stored).to be >= 9
  end

  it "shows itself in one line" do
    Dir.mktmpdir(nil, "/tmp") do |folder| # a long path would be shortened
      path = File.join(folder, "index.hsx")
      expect(described_class.open(path, &:inspect)).to eq("#<HybridSearch::SqliteDocStore path=#{path.inspect}>")
    end
  end
end
