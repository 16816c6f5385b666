# frozen_string_literal: true

require "spec_helper"
require "support/engines"
require "securerandom"
require "socket"

RSpec.describe HybridSearch::OceanBaseDocStore, engines: true do
  include Engines

  let(:url) { engine_url("oceanbase") }
  let(:names) { [] }
  let(:hooks) do
    { make_reference: -> { HybridSearch::MemoryDocStore.new(bm25: "lucene", kernels: "plain") },
      reopen: ->(store) { store.tap(&:close) && beside(store) }, open_beside: ->(store) { beside(store) },
      lose_connection: ->(store) { cut(store) }, lose_answer: ->(store) { losing_commits(store) } }
  end

  before { skip("the gem mysql2 is missing: bin/setup installs it on Debian") unless mysql2? }

  after { names.each { |name| described_class.new(url, collection: name, migrate: false).drop } }

  def mysql2?
    HybridSearch::Stores::OceanBase::OceanBaseLibrary.load
  rescue HybridSearch::ConfigurationError
    nil
  end

  def store(**options)
    names << "t#{SecureRandom.hex(12)}"
    described_class.new(url, collection: names.last, **options)
  end

  def beside(store)
    described_class.new(url, collection: store.collection)
  end

  def idle(store)
    store.instance_variable_get(:@database).instance_variable_get(:@pool).instance_variable_get(:@idle)
  end

  # Cut the idle connections of a store, as a server does when it stops.
  def cut(store)
    idle(store).each do |connection|
      socket = BasicSocket.for_fd(connection.instance_variable_get(:@client).socket)
      socket.autoclose = false
      socket.shutdown
    end
    -> {}
  end

  # Lose the responses to the next commits of a store, after they were carried out.
  def losing_commits(store)
    losing = idle(store).each do |connection|
      connection.define_singleton_method(:run_text) do |text|
        rows = super(text)
        next rows unless text == "commit"

        close
        raise Mysql2::Error::ConnectionError, "Lost connection to server during query"
      end
    end
    -> { losing.each { |connection| connection.singleton_class.remove_method(:run_text) } }
  end

  # Python runs the whole contract by day. The seed of rspec chooses the parts that Ruby runs by day.
  parts = HybridSearch::AdapterKit::DocStoreContract.names
  chosen = (parts - ["test_listing_has_no_end"]).sample(parts.size / 4, random: Random.new(RSpec.configuration.seed))
  parts.each do |name|
    tags = chosen.include?(name) ? {} : { by_day: false }
    it "fulfils the contract as declared: #{name}", **tags do
      HybridSearch::AdapterKit::DocStoreContract.new(**hooks) { store }.public_send(name)
    end
  end

  it "distinguishes tables that it can read from those that it cannot" do
    made = store
    expect { described_class.new(url, collection: "absent", migrate: false) }
      .to raise_error(HybridSearch::DocStoreError, /"absent" does not exist; a store with migrate makes it\z/)
    made.close
    expect { made.count }.to raise_error(HybridSearch::DocStoreError, /is closed\z/)
  end

  it "finds neighbours by a vector index" do
    made = store(dense: "hnsw")
    made.insert(Array.new(40) { |place| { "id" => "d#{place}", "q_2_vec" => [1.0, place.to_f] } })
    made.build_index("q_2_vec")
    expr = HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_2_vec", vector: [1.0, 0.0], topn: 3)
    expect(made.rank([expr])[0]).to eq(["d0", 1.0])
  end
end
