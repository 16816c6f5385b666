# frozen_string_literal: true

require "spec_helper"
require "support/postgres_stores"

RSpec.describe "A PostgresDocStore on the pool of ActiveRecord", engines: true do
  let(:url) { engine_url("postgres") }
  let(:stores) { PostgresStores.new(url) }
  let(:application) { "spec #{SecureRandom.hex(8)}" }
  let(:base) do
    Class.new(ActiveRecord::Base) { self.abstract_class = true }.tap { |made| stub_const("SearchRecord", made) }
  end
  let(:pool) do
    address = URI(url)
    settings = { adapter: "postgresql", host: address.host, port: address.port, username: address.user,
                 password: address.password, database: address.path.delete_prefix("/"), pool: 3, checkout_timeout: 0.5,
                 variables: { application_name: application } }
    base.establish_connection(settings)
    @pool = base.connection_pool
  end
  let(:store) { HybridSearch::PostgresDocStore.new(pool, collection: stores.name) }
  let(:index) { HybridSearch::Index.new(store:, embedding: HybridSearch::HashingEmbedder.new(dimension: 64)) }
  let(:records) { Array.new(12) { |place| { id: place.to_s, content: "solar panel #{place}" } } }

  before do
    require "pg"
    require "active_record"
    verbose = $VERBOSE
    $VERBOSE = nil # the gem's own warnings
    require "active_record/connection_adapters/postgresql_adapter"
  rescue LoadError => e
    skip("a gem is missing (#{e.message}): bin/setup installs ruby-activerecord and ruby-pg on Debian")
  ensure
    $VERBOSE = verbose
  end

  after do
    @pool&.disconnect!
    stores.close if @pool
  end

  def lent
    pool.stat.values_at(:busy, :waiting)
  end

  it "adds and searches, and returns every connection" do
    index.add(records)
    expect(index.search("panel 7").total).to eq(12)
    memory = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 64))
    memory.add(records)
    expect(index.search("panel 7").map(&:id)).to eq(memory.search("panel 7").map(&:id))
    expect([lent, pool.stat[:connections]]).to eq([[0, 0], 1])
    store.close
    expect(pool.with_connection { |adapter| adapter.select_value("select 1") }).to eq(1)
  end

  it "uses the connection that the thread has, and leaves it with the thread" do
    index.add(records)
    held = pool.connection
    expect([store.count, pool.stat[:connections], lent]).to eq([12, 1, [1, 0]])
    expect([pool.active_connection?, held.select_value("select 2")]).to eq([held, 2])
  end

  it "refuses to work inside a transaction of the application, which continues" do
    index.add(records)
    base.transaction do
      expect { index.search("solar") }
        .to raise_error(HybridSearch::DocStoreError, /that is in a transaction, which must be ended first\z/)
      expect(base.connection.select_value("select 3")).to eq(3)
    end
    pool.release_connection
    expect([index.search("solar").total, lent]).to eq([12, [0, 0]])
  end

  it "serves more threads than the pool has connections" do
    index.add(records)
    found = Array.new(8) { Thread.new { Array.new(5) { index.search("panel 3").total } } }.flat_map(&:value)
    expect([found.uniq, lent, pool.stat[:connections]]).to match([[12], [0, 0], be_between(1, 3)])
  end

  it "continues after the server has closed the connections" do
    index.add(records)
    expect(stores.cut(application)).to be_positive
    expect([index.search("solar").total, lent]).to eq([12, [0, 0]])
    pool.connection
    expect(stores.cut(application)).to be_positive
    expect([index.search("solar").total, lent]).to eq([12, [1, 0]])
  end

  it "reports a pool without a free connection, and waits no longer than the pool" do
    index.add(records)
    held = Array.new(3) { pool.checkout }
    expect { store.count }
      .to raise_error(HybridSearch::DocStoreError, /has no free connection: the pool lent none within \S+ seconds\z/)
    held.each { |adapter| pool.checkin(adapter) }
    expect([store.count, lent]).to eq([12, [0, 0]])
  end

  it "never shows a password, and returns a connection that does not belong to pg" do
    lending = Struct.new(:lent, :given_back) do
      def checkout = lent
      def checkin(*) = given_back << true
    end
    other = lending.new(pool.connection, [])
    expect { HybridSearch::PostgresDocStore.new(other) }.to raise_error(HybridSearch::DocStoreError) { |error|
      shown = "a value of the type ActiveRecord::ConnectionAdapters::PostgreSQLAdapter"
      expect(error.message).to end_with(" was lent #{shown} by the pool, not a connection of pg")
    }
    expect(other.given_back).to eq([true])
  end
end
