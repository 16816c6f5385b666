# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

RSpec.describe HybridSearch::SqliteDocStore, "after another store has written" do
  let(:folder) { Dir.mktmpdir }
  let(:path) { File.join(folder, "index.hsx") }
  let(:words) { %w[solar wind power roof heat pump panel tariff grid storage] }
  let(:changes) { HybridSearch::Stores::Sqlite::SqliteChanges }
  let(:limits) { HybridSearch::Stores::Tables::DocumentChanges }
  let(:store) { open_store }
  let(:other) { open_store }
  let(:opened) { [] }
  # For each question after a write of another store, the documents that were read again; nil: all.
  let(:follows) { [] }
  let(:text) do
    phrases = [[%w[solar roof], 2], [%w[wind wind], 3], [%w[heat pump], 0]]
    tree = kit::Tree::AnyOf.new([kit::Tree::Term.new("power"),
                                 *phrases.map { |tokens, slop| kit::Tree::Phrase.new(tokens, slop:) }])
    kit::MatchTextExpr.new(fields: [["content_ltks", 1.5], ["title_tks", 1.0]], tree:, topn: 30)
  end
  let(:dense) { kit::MatchDenseExpr.new(field: "q_3_vec", vector: [1.0, 0.5, 0.25], topn: 5, extra_options: {}) }

  before do
    seen = follows
    allow_any_instance_of(changes).to receive(:since).and_wrap_original do |original, *given|
      original.call(*given).tap { |found| seen << found&.numbers }
    end
  end

  after do
    opened.each(&:close)
    FileUtils.remove_entry(folder)
  end

  def kit
    HybridSearch::AdapterKit
  end

  def open_store(**options)
    described_class.new(path, synchronous: "normal", **options).tap { |store| opened << store }
  end

  def document(number, source)
    vector = Array.new(3) { [0.0, 1.0, 2.0, source.rand(-2.0..2.0)].sample(random: source) }
    given = vector.all?(&:zero?) ? {} : { "q_3_vec" => vector }
    content, title = [[6, source.rand(12)], [9, 3]].map do |choice, count|
      Array.new(count) { words.first(choice).sample(random: source) }.join(" ")
    end
    { "id" => "d#{number}", "content_ltks" => content, "title_tks" => title, "kb_id" => "k#{source.rand(2)}", **given }
  end

  def documents(count, seed = 1)
    source = Random.new(seed)
    Array.new(count) { |number| document(number, source) }
  end

  def answers(store)
    found = [text, dense].product([{}, { "kb_id" => "k1" }, { "kb_id" => %w[k0 k1] }]).map do |query, filters|
      store.rank([query], filters)
    end
    [*found, store.rank([], { "kb_id" => "k1" }).map(&:first).sort, store.vector_fields]
  end

  # The store returns the results of one that has just opened the file.
  def expect_same(store)
    fresh = described_class.new(path)
    expect(answers(store)).to eq(answers(fresh))
  ensure
    fresh&.close
  end

  def database
    require "sqlite3"
    connection = SQLite3::Database.new(path)
    yield connection
  ensure
    connection&.close
  end

  by_night = { nightly: "as is", by_day: false }
  [[256, 8, {}], [0, 8, {}], [256, 25, by_night], [0, 25, by_night]].each do |memory, rounds, tags|
    it "returns the results of memory, with #{memory} megabytes, #{rounds} rounds", **tags do
      source = Random.new(3)
      store = open_store(memory:)
      held = HybridSearch::MemoryDocStore.new
      [other, held].each { |writer| writer.insert(documents(200)) }
      rounds.times do
        gone = held.rank([dense]).map(&:first).sample(source.rand(4), random: source)
        fresh = (0...220).to_a.sample(source.rand(4), random: source).map { |number| document(number, source) }
        [other, held].each do |writer|
          writer.delete(gone)
          writer.upsert(fresh)
        end
        expect(answers(store)).to eq(answers(held))
      end
    end
  end

  it "reads only the written document" do
    other.insert(documents(600))
    answers(store)
    other.upsert([document(0, Random.new(5)).merge("id" => "new", "q_3_vec" => [1.0, 0.5, 0.25])])
    %i[places terms sketches identifiers identifiers_of].each do |name|
      allow_any_instance_of(HybridSearch::Stores::Sqlite::SqliteTables).to receive(name).and_raise(name.to_s)
    end
    read = []
    allow_any_instance_of(HybridSearch::Stores::Sqlite::SqliteTables).to(
      receive(:vectors).and_wrap_original do |original, *given|
        read << given[1]
        original.call(*given)
      end
    )
    expect(store.rank([dense])[0][0]).to eq("new")
    answers(store)
    expect([read.flatten, follows]).to eq([[600], [[600]]])
  end

  it "follows reused numbers of deleted documents, writers that take turns, notes and a vacuum" do
    other.insert(documents(60))
    answers(store)
    other.delete(%w[d5 d7])
    other.insert([document(5, Random.new(9)).merge("id" => "x")])
    expect_same(store)
    other.set_note("who", "tests")
    expect_same(store)
    store.upsert([document(9, Random.new(2))])
    expect_same(store)
    database { |connection| connection.execute("VACUUM") }
    expect_same(store)
    expect(follows).to eq([[5, 7], [], [9]])
    expect(store.check).to eq([])
  end

  it "does not follow a rebuild" do
    other.insert(documents(60))
    answers(store)
    other.rebuilding do |fresh|
      fresh.insert(documents(40, 5))
      answers(fresh)
      fresh.upsert([document(3, Random.new(4))])
      answers(fresh)
    end
    expect_same(store)
    other.delete(["d9"])
    expect_same(store)
    expect(follows).to eq([[3], nil, [9]])
  end

  4.times do |writes|
    it "does not follow an older copy of the file, with #{writes} batches after it" do
      other.insert(documents(60))
      copy = File.join(folder, "copy")
      backup(path, copy)
      2.times { |number| other.upsert([document(number, Random.new(number))]) }
      answers(store)
      backup(copy, path)
      writes.times { |number| other.upsert([document(10 + number, Random.new(30 + number))]) }
      expect_same(store)
      expect(follows).to eq([nil])
    end
  end

  def backup(from, into)
    require "sqlite3"
    source, target = [from, into].map { |name| SQLite3::Database.new(name) }
    SQLite3::Backup.new(target, "main", source, "main").tap { |backup| backup.step(-1) }.finish
  ensure
    [source, target].compact.each(&:close)
  end

  it "does not follow a batch of an earlier version of the library" do
    other.insert(documents(60))
    answers(store)
    database { |connection| connection.execute("DELETE FROM changes WHERE generation = 1") }
    other.delete(["d3"])
    expect_same(store)
    other.delete(["d4"])
    expect_same(store)
    expect(follows).to eq([nil, [4]])
  end

  it "creates a missing table of changes with the next batch, and rebuilds a file without it" do
    other.insert(documents(60))
    database { |connection| connection.execute("DROP TABLE changes") }
    answers(store)
    expect(store.check).to eq([])
    2.times do |number|
      other.delete(["d#{number}"])
      expect_same(store)
    end
    expect(follows).to eq([nil, [1]])
    database { |connection| connection.execute("DROP TABLE changes") }
    other.rebuilding { |fresh| fresh.insert(documents(3)) }
    expect_same(store)
  end

  it "records up to a maximum of documents per batch, and only the last batches" do
    other.insert(documents(20))
    answers(store)
    [limits::MOST_NOTED, limits::MOST_NOTED + 1].each do |count|
      other.upsert(documents(count, count))
      answers(store)
    end
    expect(follows).to eq([(0...limits::MOST_NOTED).to_a, nil])
    expect_same(store)
    [limits::MOST_BATCHES - 1, limits::MOST_BATCHES].each do |count|
      count.times { |turn| other.upsert([{ "id" => "d1", "content_ltks" => "solar t#{turn}" }]) }
      expect_same(store)
    end
    expect(follows.drop(2)).to eq([[1], nil])
    database do |connection|
      expect(connection.execute("SELECT count(*) FROM changes")).to eq([[limits::MOST_BATCHES]])
    end
  end

  it "computes sketches again when many documents have changed" do
    other.insert(documents(600))
    answers(store)
    [50, 50, 1].each_with_index do |count, turn|
      other.upsert(documents(600, turn)[50 * turn, count])
      expect_same(store)
    end
  end

  it "refuses a damaged row, and a changed document that is missing" do
    other.insert(documents(30))
    answers(store)
    other.upsert([document(3, Random.new(3))])
    database { |connection| connection.execute("DELETE FROM documents WHERE number = 3") }
    expect { store.rank([text]) }.to raise_error(HybridSearch::IndexCorruptError)
    database { |connection| connection.execute("UPDATE changes SET numbers = x'01000000' WHERE generation = 2") }
    expect { store.rank([text]) }.to raise_error(HybridSearch::IndexCorruptError)
    expect(store.check).to include("changes: 1 row is not what was written")
  end
end
