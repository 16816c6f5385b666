# frozen_string_literal: true

require "spec_helper"
require "support/postgres_stores"
require "timeout"

RSpec.describe HybridSearch::PostgresDocStore, "with other programs at its server", engines: true do
  let(:url) { engine_url("postgres") }
  let(:stores) { PostgresStores.new(url) }
  let(:documents) do
    Array.new(40) do |place|
      { "id" => place.to_s, "content_ltks" => "solar panel #{place % 7}", "kb_id" => "k#{place % 3}",
        "q_2_vec" => [1.0, place / 10.0] }
    end
  end

  before do
    require "pg"
  rescue LoadError => e
    skip("the gem pg is missing (#{e.message}): bin/setup installs it on Debian")
  end

  after { stores.close }

  describe "a schema" do
    def names_in(collection)
      stores.connected do |connection|
        connection.exec_params("select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace " \
                               "where n.nspname = $1", [collection]).column_values(0)
      end
    end

    it "is neither taken from other programs nor removed with their objects" do
      store = stores.make
      store.insert(documents)
      schema = stores.connected { |connection| connection.quote_ident(store.collection) }
      stores.connected do |connection|
        connection.exec("create table #{schema}.other (); create view #{schema}.seen as select * from #{schema}.terms")
      end
      expect { store.drop }.to raise_error(HybridSearch::DocStoreError, /other objects of the database depend on/)
      expect(store.count).to eq(40)
      stores.connected { |connection| connection.exec("drop view #{schema}.seen") }
      store.drop
      expect(names_in(store.collection)).to eq(["other"])
      expect { stores.make(collection: store.collection) }
        .to raise_error(HybridSearch::DocStoreError, /cannot be made: the schema of this name holds objects of other/)
    end

    it "is removed with its collection if nothing else is in it" do
      store = stores.make
      store.drop
      schemas = stores.connected { |connection| connection.exec("select nspname from pg_namespace").column_values(0) }
      expect(schemas).not_to include(store.collection)
    end

    it "is not created if pgvector is too old" do
      stub_const("HybridSearch::Stores::Postgres::PostgresDatabase::OLDEST_EXTENSION", [99, 1])
      needed = /needs the extension pgvector, 99\.1 or later, in its database, which has 0\.\d+\.\d+\z/
      expect { stores.make(collection: stores.name) }.to raise_error(HybridSearch::DocStoreError, needed)
    end

    it "is not created for approximate neighbours if pgvector is too old for them" do
      stub_const("HybridSearch::Stores::Postgres::PostgresDatabase::OLDEST_WITH_SCANS", [99, 2])
      needed = /needs the extension pgvector, 99\.2 or later where dense is "hnsw", in its database, which has 0\.\d/
      expect { stores.make(dense: "hnsw") }.to raise_error(HybridSearch::DocStoreError, needed)
      store = stores.make
      store.insert(documents)
      expect { store.build_index("q_2_vec") }.to raise_error(HybridSearch::DocStoreError, needed)
    end

    it "may have a name that looks like a placeholder in a statement" do
      nearest = HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_2_vec", vector: [1.0, 0.55], topn: 1)
      ["{vector} {schema}", "{among} {order} {place}", "{field} {m}"].each do |part|
        store = stores.make(collection: stores.name(part))
        store.insert(documents)
        found = store.search(filters: { "kb_id" => "k1" }, order_by: "id desc", limit: 2)
        expect([found.total, found.ids]).to eq([13, %w[7 4]])
        expect(store.rank([nearest], { "kb_id" => %w[k0 k1] }).size).to eq(1)
      end
    end
  end

  describe "limits" do
    let(:hasty) { "options=-c%20statement_timeout%3D100%20-c%20lock_timeout%3D100" }

    def beside_with(store, query)
      address = URI(url)
      address.query = query
      stores.beside(store, url: address.to_s, timeout: 20.0)
    end

    it "of a role end neither the wait for another writer nor the opening of a store" do
      store = stores.make
      other = beside_with(store, hasty)
      schema = stores.connected { |connection| connection.quote_ident(store.collection) }
      stores.connected do |connection|
        connection.transaction do
          connection.exec("lock table #{schema}.meta")
          waiting = [Thread.new { other.insert(documents) }, Thread.new { beside_with(store, hasty).health }]
          expect(waiting.map { |thread| thread.join(0.5) }).to eq([nil, nil])
          connection.exec("commit; begin")
          expect(waiting.first.value).to eq(40)
          expect(waiting.last.value[:status] || waiting.last.value["status"]).to eq("green")
        end
      end
    end

    it "are divided among the servers, so that the server after a silent one is asked" do
      listening = TCPServer.new("127.0.0.1", 0)
      server = URI(url)
      [["", 6.0], ["&connect_timeout=2", 60.0]].each do |own, timeout|
        place = "postgresql://#{server.userinfo}@127.0.0.1:#{listening.addr[1]},#{server.host}:#{server.port}" \
                "#{server.path}?target_session_attrs=read-write#{own}"
        expect(stores.make(url: place, timeout:).insert(documents)).to eq(40)
      end
    ensure
      listening&.close
    end

    it "bound the wait for a pool, whose errors become errors of the library" do
      waiting = Class.new do
        attr_reader :waited

        def checkout(options = {})
          @waited = options
          raise Timeout::Error
        end

        def checkin = nil
      end.new
      expect { described_class.new(waiting, collection: stores.name, timeout: 0.5) }
        .to raise_error(HybridSearch::DocStoreError, /has no free connection: the pool lent none within 0\.5 seconds\z/)
      expect(waiting.waited).to eq({ timeout: 0.5 })
    end
  end

  it "causes no notices about existing objects, even on the caller's connection" do
    own = PG.connect(url)
    said = []
    own.set_notice_processor { |message| said << message }
    name = stores.name
    own.exec("create schema #{own.quote_ident(name)}")
    store = described_class.new(own, collection: name)
    store.insert(documents)
    2.times { store.build_index("q_2_vec") } unless (stores.extension <=> [0, 8]).negative?
    store.drop
    expect(said).to eq([])
  ensure
    own&.close
  end

  it "continues with later batches after a refused one and any number of earlier ones" do
    own = PG.connect(url)
    [stores.make, described_class.new(own, collection: stores.name)].each do |store|
      stores.refuse(store, "refused")
      11.times do |batches|
        [*0...batches, "refused", *0...10].each do |turn|
          document = { "id" => turn.to_s, "content_ltks" => "solar #{turn} #{batches}", "q_2_vec" => [1.0, 0.5] }
          next store.upsert([document]) unless turn == "refused"

          expect { store.insert([document, { "id" => "other" }]) }
            .to raise_error(HybridSearch::DocStoreError, /failed: this id is refused\z/)
        end
      end
      expect([store.generation, store.count]).to eq([110, 10])
    end
  ensure
    own&.close
  end
end
