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

  # How many statements are asked in the block, and how many rows they have.
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
    it "reads as much in a larger collection, with the filters #{filters}" do
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

  [0, 256].each do |memory|
    it "answers from what is stored, with #{memory} megabytes" do
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

  it "converts a collection of the version before when it is opened" do
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
