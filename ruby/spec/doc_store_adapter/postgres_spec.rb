# frozen_string_literal: true

require "spec_helper"
require "support/postgres_stores"

RSpec.describe HybridSearch::PostgresDocStore, engines: true do
  kit = HybridSearch::AdapterKit
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

  def dense(topn, similarity: nil)
    kit = HybridSearch::AdapterKit
    kit::MatchDenseExpr.new(field: "q_2_vec", vector: [1.0, 0.55], topn:, extra_options: { "similarity" => similarity })
  end

  # The actions on the server for the faults of the contract.
  def hooks(between)
    {
      reopen: lambda { |store|
        store.close
        stores.beside(store)
      },
      open_beside: ->(store) { stores.beside(store) },
      lose_connection: lambda { |_|
        expect(stores.cut(between.application)).to be_positive
        -> {}
      },
      lose_answer: lambda { |_|
        between.lose_answers_to("commit\0")
        -> { between.lose_answers_to(nil) }
      }
    }
  end

  kit::DocStoreContract.names.product(HybridSearch::Base::Kernels::INCLUDED) do |name, kernels|
    tags = kernels == "plain" ? { nightly: "as is", by_day: false } : {}
    it "fulfils the contract with #{kernels} kernels: #{name}", **tags do
      between = PostgresStores::Between.new(url)
      make = -> { stores.make(url: between.url, kernels:) }
      expect { kit::DocStoreContract.new(**hooks(between), &make).public_send(name) }.not_to raise_error
    ensure
      between&.close
    end
  end

  it "needs few round trips for a batch, as Python does" do
    between = PostgresStores::Between.new(url)
    store = stores.make(url: between.url)
    texts = Array.new(3) { |place| { "id" => place.to_s, "content_ltks" => "solar #{place}", "title_tks" => "of all" } }
    vectors = texts.map { |document| document.merge("q_2_vec" => [1.0, 2.0]) }
    batches = [[:insert, texts], [:insert, vectors.map { |document| document.merge("id" => "#{document["id"]} too") }],
               [:update, [{ "id" => "1", "content_ltks" => "water" }]], [:upsert, vectors], [:delete, %w[0 1]]]
    waited = batches.map do |method, given|
      before = between.round_trips
      store.public_send(method, given)
      between.round_trips - before
    end
    expect(waited).to eq([5, 7, 6, 8, 6])
  ensure
    between&.close
  end

  describe "listings" do
    let(:store) { stores.make }
    let(:memory) { HybridSearch::MemoryDocStore.new }

    # The number of rows of each statement in the block, and the number of documents that the server skips for a
    # page in the order of ids.
    def asked
      rows = 0
      passed_over = []
      allow_any_instance_of(HybridSearch::Stores::Postgres::PostgresConnection).to receive(:rows_of)
        .and_wrap_original do |original, text, values|
          original.call(text, values).tap do |found|
            rows += found.size
            passed_over << values[0] if text.include?("offset $1")
          end
        end
      yield
      [rows, passed_over]
    end

    def fill(documents)
      [store, memory].each { |each| each.insert(documents) }
    end

    def expect_alike(**wanted)
      found = [store, memory].map { |each| each.search(**wanted) }.map { |one| [one.total, one.ids, one.fields] }
      expect(found[0]).to eq(found[1])
    end

    it "equal those of memory in every order" do
      values = [1, 1.0, -0.0, 2.5, "x", [3, "x"], %w[x y], true, [true], { "a" => 1 }, 10**16, -5e-324, 10**400, [],
                "\u{1f600}", "\uffff", "\0", "\1"]
      identifiers = ["a", "\0", "é" * 500, "é" * 501, "a" * 512, "b\0", "b", "ba", "\u{10ffff}" * 250, *"c".."m"]
      fill(identifiers.zip(values).map { |id, value| { "id" => id, "v" => value, "kb_id" => "k", "t_tks" => id[0] } })
      orders = [["v asc"], ["v desc"], ["id desc"], ["kb_id asc", "v desc"], ["t_tks desc", "v asc"], ["id asc"], []]
      orders.each do |by|
        [0, 4, 8, 19, 10**30].each { |offset| expect_alike(order_by: by.map(&:split), limit: 4, offset:) }
      end
      [store, memory].each { |each| each.update([{ "id" => "b", "v" => 10**4000 }]) }
      expect_alike(order_by: [%w[v asc]], limit: 30)
    end

    it "do not read documents before a page" do
      fill(Array.new(500) { |place| { "id" => place.to_s, "kb_id" => "k#{place % 2}", "page_int" => place % 7 } })
      [{}, { "kb_id" => "k0" }].each do |filters|
        store.search(filters:, limit: 10)
        found = asked { (1..5).each { |page| expect_alike(filters:, limit: 10, offset: 10 * page) } }
        expect(found).to eq([5 * 20, [0] * 5])
      end
      by_fields = { order_by: [%w[page_int desc]], limit: 10 }
      expect(asked { expect_alike(**by_fields, offset: 300) }[0]).to eq(20) # order, 9 ids (1 is cached), 10 documents
      expect(asked { expect_alike(**by_fields, offset: 400) }[0]).to eq(20)
      [store, memory].each { |each| each.update([{ "id" => "0", "page_int" => 9 }]) }
      expect_alike(**by_fields)
    end
  end

  it "leaves no rows of removed terms, even with a libpq that waits for each response" do
    [true, false].each do |is_supported|
      allow(HybridSearch::Stores::Postgres::PostgresLibrary).to receive(:pipelines?).and_return(is_supported)
      store = stores.make
      store.insert(Array.new(2500) { |place| { "id" => place.to_s, "content_ltks" => "solar word#{place}" } })
      store.update([{ "id" => "1", "content_ltks" => "water" }])
      store.delete((2...2500).map(&:to_s))
      expect(%w[terms postings frequencies].map { |table| stores.rows_of(store, table) }).to eq([3, 1, 1])
    end
  end

  it "uses the caller's connection, and leaves it open and unchanged" do
    stores.connected do |connection|
      store = stores.make.tap(&:close)
      described_class.open(connection, collection: store.collection) { |own| own.insert(documents) }
      expect(connection.exec("select 1").getvalue(0, 0)).to eq("1")
    end
  end

  it "refuses a caller's connection in a transaction, and does not end the transaction" do
    stores.connected do |connection|
      store = stores.make
      own = described_class.new(connection, collection: store.collection)
      connection.exec("begin; create temporary table own (number integer)")
      expect { own.count }
        .to raise_error(HybridSearch::DocStoreError, /that is in a transaction, which must be ended first\z/)
      expect(connection.exec("select count(*) from own").getvalue(0, 0)).to eq("0")
    end
  end

  it "uses the caller's pool" do
    pool = Class.new do
      attr_reader :given_back

      def initialize(connection)
        @connection = connection
        @given_back = 0
      end

      def checkout = @connection
      def checkin = @given_back += 1
    end
    stores.connected do |connection|
      own = pool.new(connection)
      store = described_class.new(own, collection: stores.name)
      store.insert(documents)
      expect([store.count, own.given_back]).to eq([40, 3])
    end
  end

  it "waits for a free connection up to its timeout, and then raises an error" do
    store = stores.make(connections: 1, timeout: 1.0)
    database = store.instance_variable_get(:@database)
    database.reading do
      expect { store.count }.to raise_error(HybridSearch::DocStoreError, /all 1 were in use for 1.0 seconds\z/)
    end
    expect(store.count).to eq(0)
  end

  it "cancels a statement that exceeds its timeout" do
    store = stores.make(timeout: 1.0)
    stores.connected do |connection|
      connection.exec("begin")
      connection.exec("lock #{connection.quote_ident(store.collection)}.meta")
      expect { store.count }.to raise_error(HybridSearch::DocStoreError, /did not answer within 1.0 seconds\z/)
    end
    expect(store.count).to eq(0)
  end

  describe "a server that stops responding" do
    let(:between) { PostgresStores::Between.new(url) }
    let(:document) { { "id" => "1", "content_ltks" => "a", "q_2_vec" => [1.0, 2.0] } }

    after { between.close }

    # A limit for busy machines, not much longer than the timeout.
    def in_time
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      patience = HybridSearch::Stores::Postgres::PostgresWatch::PATIENCE + 10.0
      expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - began).to be < 1.0 + patience
    end

    {
      "a new connection" => ["", :beside], "a search" => ["read only", :rank],
      "the rows of a batch" => ["copy ", :insert], "the end of the rows" => ["PGCOPY", :insert],
      "a statement of a batch" => ["change_fields", :insert]
    }.each do |moment, (sent, call)|
      it "is waited for only up to the timeout: #{moment}" do
        store = stores.make(url: between.url, timeout: 1.0)
        statements = store.instance_variable_get(:@database).statements
        between.fall_silent_from(sent == "change_fields" ? statements.text(sent).b : sent.b)
        calls = { beside: -> { stores.beside(store, url: between.url, timeout: 1.0) }, rank: -> { store.rank([]) },
                  insert: -> { store.insert([document]) } }
        in_time do
          expect { calls.fetch(call).call }
            .to raise_error(an_instance_of(HybridSearch::DocStoreError), /did not answer within (1.0|2.0) seconds\z/)
        end
        between.fall_silent_from(nil)
        expect([store.count, store.insert([document])]).to eq([0, 1])
      end
    end

    it "leaves the outcome of a commit unknown" do
      store = stores.make(url: between.url, timeout: 1.0)
      between.fall_silent_from("commit\0".b)
      in_time { expect { store.insert([document]) }.to raise_error(HybridSearch::UnknownOutcomeError) }
      between.fall_silent_from(nil)
      expect([store.upsert([document]), store.count]).to eq([1, 1])
    end

    it "has the caller's connection closed, and removes it from a pool" do
      connection = PG.connect(between.url)
      pool = Struct.new(:checkout, :given_back) do
        def discard_current_connection = given_back << checkout.finished?
        def checkin = given_back << :checkin
      end.new(connection, [])
      store = described_class.new(pool, collection: stores.name, timeout: 1.0)
      pool.given_back.clear
      between.fall_silent_from("read only".b)
      in_time { expect { store.count }.to raise_error(HybridSearch::DocStoreError, /did not answer/) }
      expect(pool.given_back).to eq([true, :checkin])
      expect { store.count }.to raise_error(HybridSearch::DocStoreError, /was given a connection that is closed\z/)
    end
  end

  it "serves a forked child, which does not use its parent's connections" do
    store = stores.make
    store.insert(documents)
    reader, writer = IO.pipe
    child = fork do
      writer.puts(store.count, store.delete(["1"]))
      writer.flush
      exit!(0)
    end
    writer.close
    Process.wait(child)
    expect(reader.read.split).to eq(%w[40 1])
    Process.wait(fork { nil }) # exits normally, with all its objects
    expect([store.count, store.get("1")]).to eq([39, nil])
  end

  it "finds the nearest by an index of approximate neighbours on request" do
    skip("the server's pgvector is older than 0.8") if (stores.extension <=> [0, 8]).negative?

    exact = stores.make
    exact.insert(documents)
    exact.build_index("q_2_vec")
    near = stores.beside(exact, dense: "hnsw")
    expect([near.exact_dense?, exact.exact_dense?]).to eq([false, true])
    expect(near.rank([dense(5)])).to eq(exact.rank([dense(5)]))
    expect(near.rank([dense(3)], { "kb_id" => "k1" })).to eq(exact.rank([dense(3)], { "kb_id" => "k1" }))
    expect { exact.build_index("q_3_vec") }
      .to raise_error(HybridSearch::InvalidInputError, /a field of which vectors are stored/)
  end

  it "reports a missing collection and an unreachable server without repeating passwords" do
    expect { stores.make(migrate: false) }.to raise_error(HybridSearch::DocStoreError, /does not exist/)
    far = "postgresql://someone:secret@127.0.0.1:9/nowhere"
    expect { described_class.new(far) }.to raise_error(HybridSearch::DocStoreError) { |error|
      expect(error.message).to match(/\Athe collection "hybrid_search" cannot be reached: /)
      expect([error.message, error.cause]).to match([/\A((?!secret).)*\z/, nil])
    }
  end

  it "rolls back an interrupted batch" do
    store = stores.make
    tables = HybridSearch::Stores::Postgres::PostgresTables
    allow(tables).to receive(:new).and_wrap_original do |original, *arguments|
      original.call(*arguments).tap { |made| allow(made.connection).to receive(:copy).and_raise(Interrupt) }
    end
    expect { store.insert(documents) }.to raise_error(Interrupt)
    allow(tables).to receive(:new).and_call_original
    expect([store.count, store.insert(documents)]).to eq([0, 40])
  end
end

RSpec.describe HybridSearch::PostgresDocStore do
  it "refuses a value that is neither a connection nor a name" do
    expect { described_class.new(1) }
      .to raise_error(HybridSearch::InvalidInputError, "connection must be a URL, a connection of pg or a pool of such")
    expect { described_class.new("", collection: "x" * 64) }
      .to raise_error(HybridSearch::InvalidInputError, /\Acollection must be a name of 1 to 63 bytes without U\+0000/)
    %w[public information_schema pg_mine].each do |name|
      expect { described_class.new("", collection: name) }
        .to raise_error(HybridSearch::InvalidInputError, /\Acollection must be a schema of its own, not public/)
    end
    expect { described_class.new("", colection: "x") }
      .to raise_error(HybridSearch::InvalidInputError, /did you mean "collection"/)
  end

  it "names the required gem if it is missing" do
    allow(HybridSearch::Stores::Postgres::PostgresLibrary).to receive(:require).with("pg").and_raise(LoadError)
    needed = 'a PostgresDocStore needs the gem pg: add gem "pg" to the Gemfile'
    expect { described_class.new("") }.to raise_error(HybridSearch::ConfigurationError, needed)
  end
end
