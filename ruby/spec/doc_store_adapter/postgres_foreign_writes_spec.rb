# frozen_string_literal: true

require "spec_helper"
require "support/postgres_stores"

RSpec.describe HybridSearch::PostgresDocStore, "after another program has written", engines: true do
  let(:stores) { PostgresStores.new(engine_url("postgres")) }
  let(:words) { %w[solar wind power roof heat pump panel tariff grid storage] }

  before do
    require "pg"
  rescue LoadError => e
    skip("the gem pg is missing (#{e.message}): bin/setup installs it on Debian")
  end

  after { stores.close }

  def record(number, source)
    content = Array.new(source.rand(10)) { words.sample(random: source) }.join(" ")
    { "id" => "d#{number}", "title" => words.sample(random: source), "content" => "#{content} n#{number}",
      "kb_id" => "k#{number % 3}" }
  end

  # A document of a collection in which each token is in eight documents, and half pass a filter.
  def rare(number, size)
    { "id" => "d#{number}", "content_ltks" => "t#{number % (size / 8)} u#{number % (size / 8)}",
      "title_tks" => "t#{number % (size / 8)}", "kb_id" => "k#{number % 2}", "q_2_vec" => [1.0, number + 0.5] }
  end

  def page(store, question, **options)
    HybridSearch::Index.new(store:).search(question, **options).hits.map { |hit| [hit.id, hit.score] }
  end

  def kit
    HybridSearch::AdapterKit
  end

  def near(number, source)
    vector = Array.new(3) { [0.0, 1.0, 2.0, source.rand(-2.0..2.0)].sample(random: source) }
    given = vector.all?(&:zero?) ? {} : { "q_3_vec" => vector }
    { "id" => "d#{number}", "kb_id" => "k#{source.rand(2)}", **given }
  end

  def text(number, source)
    content, title = [[6, source.rand(12)], [9, 3]].map do |choice, count|
      Array.new(count) { words.first(choice).sample(random: source) }.join(" ")
    end
    { "id" => "d#{number}", "content_ltks" => content, "title_tks" => title }
  end

  # Compare a ranking with memory's after each of some changes by another program: the block makes the changes.
  def compare(query, filters, documents, times)
    store = stores.make
    held = HybridSearch::MemoryDocStore.new
    writers = [stores.beside(store), held]
    writers.each { |writer| writer.insert(documents) }
    times.times do
      gone, fresh = yield held
      writers.each do |writer|
        writer.delete(gone)
        writer.upsert(fresh.to_h { |document| [document["id"], document] }.values)
      end
      expect(store.rank([query], filters)).to eq(held.rank([query], filters))
    end
  end

  # The number of statements in the block, and the number of their rows.
  def read
    counts = []
    allow_any_instance_of(HybridSearch::Stores::Postgres::PostgresConnection).to(
      receive(:rows_of).and_wrap_original do |original, *given|
        original.call(*given).tap { |rows| counts << rows.size }
      end
    )
    yield
    [counts.size, counts.sum] # whole numbers
  end

  [{}, { "kb_id" => "k1" }].each do |filters|
    it "reads no more in a larger collection, with the filters #{filters}" do
      amounts = [1024, 8 * 1024].map do |size|
        store = stores.make
        store.insert(Array.new(size) { |number| rare(number, size) })
        page(store, "t3 u5", filters:)
        stores.beside(store).insert([rare(1, size).merge("id" => "new")])
        read { expect(page(store, "t3 u5", filters:).size).to be_positive }
      end
      expect(amounts[0]).to eq(amounts[1])
    end
  end

  it "reads only the written document and the page for a repeated question, and no postings" do
    store = stores.make
    store.insert(Array.new(256) { |number| rare(number, 256) })
    page(store, "t3 u5", limit: 4)
    stores.beside(store).upsert([rare(3, 256).merge("id" => "new")])
    allow_any_instance_of(HybridSearch::Stores::Postgres::PostgresTables).to receive(:places).and_raise("postings")
    fields = 3
    generations = 2
    expect(read { page(store, "t3 u5", limit: 4) }).to eq([3, fields + generations + 1 + 4])
  end

  [nil, 0.5].product([{}, { "kb_id" => "k1" }]) do |similarity, filters|
    it "finds the nearest as memory does, with the similarity #{similarity.inspect} and the filters #{filters}" do
      options = similarity ? { "similarity" => similarity } : {}
      query = kit::MatchDenseExpr.new(field: "q_3_vec", vector: [1.0, 0.5, 0.25], topn: 5, extra_options: options)
      source = Random.new(6)
      compare(query, filters, Array.new(200) { |number| near(number, source) }, 40) do |held|
        best = held.rank([query], filters).map(&:first)
        [best.sample(source.rand(4), random: source), Array.new(source.rand(3)) { near(source.rand(200), source) }]
      end
    end
  end

  it "finds phrases as memory does" do
    source = Random.new(7)
    phrases = [[%w[solar roof], 2], [%w[wind wind], 3], [%w[heat pump], 0]]
    tree = kit::Tree::AnyOf.new([kit::Tree::Term.new("power"),
                                 *phrases.map { |tokens, slop| kit::Tree::Phrase.new(tokens, slop:) }])
    query = kit::MatchTextExpr.new(fields: [["content_ltks", 1.5], ["title_tks", 1.0]], tree:, topn: 30)
    compare(query, {}, Array.new(40) { |number| text(number, source) }, 30) do
      [["d#{source.rand(40)}"].first(source.rand(2)), [text(source.rand(40), source)]]
    end
  end

  [0, 256].each do |memory|
    it "returns the stored documents, with #{memory} megabytes" do
      source = Random.new(3)
      store = stores.make(memory:)
      held = HybridSearch::MemoryDocStore.new
      writers = [stores.beside(store), held].map { |one| HybridSearch::Index.new(store: one) }
      writers.each { |writer| writer.add(Array.new(60) { |number| record(number, Random.new(number)) }) }
      12.times do |turn|
        gone = Array.new(source.rand(3)) { "d#{source.rand(60 + turn)}" }
        fresh = Array.new(source.rand(3)) { record(source.rand(60 + turn), source) }
        writers.each do |writer|
          writer.delete(gone)
          writer.upsert(fresh)
        end
        [{}, { "kb_id" => "k1" }].each do |filters|
          expect(page(store, "solar roof n7", filters:)).to eq(page(held, "solar roof n7", filters:))
        end
      end
    end
  end

  it "converts a collection of the previous version when it is opened" do
    store = stores.make
    HybridSearch::Index.new(store:).add(Array.new(40) { |number| record(number, Random.new(number)) })
    before = page(store, "solar roof")
    stores.connected do |connection|
      schema = connection.quote_ident(store.collection)
      connection.exec("drop table #{schema}.changes; alter table #{schema}.fields drop column filled; " \
                      "update #{schema}.meta set version = 2")
    end
    expect(page(stores.beside(store), "solar roof")).to eq(before)
  end
end
