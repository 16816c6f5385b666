# frozen_string_literal: true

require "support/postgres_stores"
require "support/rails_models"

# Records and their index in one PostgreSQL, reached by the application's own connections.
RSpec.describe "Models with an index in PostgreSQL", engines: true, skip: RailsModels.missing do
  let(:url) { engine_url("postgres") }
  let(:name) { "rails_#{SecureRandom.hex(6)}" }
  let(:base) do
    Class.new(ActiveRecord::Base) { self.abstract_class = true }.tap { |made| stub_const("SearchRecord", made) }
  end

  before do
    require "pg"
    verbose = $VERBOSE
    $VERBOSE = nil # the gem's own warnings
    require "active_record/connection_adapters/postgresql_adapter"
  rescue LoadError => e
    skip("a gem is missing (#{e.message}): bin/setup installs ruby-activerecord and ruby-pg on Debian")
  ensure
    $VERBOSE = verbose
  end

  before do
    base.establish_connection("#{url}?pool=6") # one more than the threads that write
    table = name
    base.connection.create_table(table) { |made| made.text(:body).then { made.string(:lang) } }
    stub_const("Page", Class.new(SearchRecord) { self.table_name = table })
    HybridSearch::Rails.configure(store: "postgres", connection_class: "SearchRecord", callbacks: "inline",
                                  embedding: { "name" => "hashing", "dimension" => 32 })
    index = "#{name}_index"
    Page.hybrid_search(content: :body, metadata: %i[lang], index:)
  end

  after do
    HybridSearch::Rails::Collections.close
    HybridSearch::Rails::Models.instance_variable_set(:@names, [])
    connection = base.connection
    connection.drop_table(name, if_exists: true)
    schemas = connection.select_values("select nspname from pg_namespace where nspname like '#{name}%'")
    schemas.each { |schema| connection.execute("drop schema #{connection.quote_table_name(schema)} cascade") }
    base.remove_connection
  end

  def fill
    Array.new(6) { |number| Page.create!(body: "shed number #{number}", lang: number.even? ? "en" : "zh") }
  end

  it "are written after the commit, found, and indexed again" do
    pages = fill
    expect([Page.hybrid("shed number 3").first, Page.hybrid("shed").total_count]).to eq([pages[3], 6])
    Page.transaction { pages[0].update!(body: "a barn") }
    pages[1].destroy!
    expect(Page.hybrid("barn").first).to eq(pages[0])
    expect(Page.where(lang: "en").hybrid("shed").total_count).to eq(3)
    Page.reindex
    expect([Page.hybrid("shed").total_count, Page.hybrid_index.collection.status.stale?]).to eq([5, false])
    expect(base.connection_pool.stat.values_at(:waiting, :connections)).to match([0, be <= 3])
  end

  it "are found by a forked child with its own connections" do
    fill
    reader, writer = IO.pipe
    child = fork do
      writer.puts(Page.hybrid("shed number 4").first.body)
      Page.create!(body: "of a child")
      exit!(0)
    end
    Process.wait(child)
    expect([reader.gets, Page.hybrid("child").first.body]).to eq(["shed number 4\n", "of a child"])
    expect(Page.hybrid("shed").total_count).to eq(7)
  end

  it "are indexed in schemas that a migration creates and removes, even if a dump restored them without rows" do
    schemas = HybridSearch::Rails::PostgresSchemas
    schemas.create(Page, base.connection)
    expect(schemas.names(Page, base.connection)).to eq(["#{name}_index", "#{name}_index_000001"])
    schemas.names(Page, base.connection).each do |schema|
      tables = base.connection.select_values("select tablename from pg_tables where schemaname = '#{schema}'")
      base.connection.execute("truncate #{tables.map { |table| "#{schema}.#{table}" }.join(", ")}")
    end
    HybridSearch::Rails::Collections.close
    fill
    Page.reindex
    expect(Page.hybrid("shed number 2").first.body).to eq("shed number 2")
    schemas.drop(Page, base.connection)
    expect(schemas.names(Page, base.connection)).to eq([])
    HybridSearch::Rails.configure(store: "memory")
    expect { schemas.create(Page, base.connection) }
      .to raise_error(HybridSearch::InvalidInputError, /\Athe store must be postgres for this migration, not "memory"/)
  end

  it "are not searched within a transaction, which continues" do
    fill
    Page.transaction do
      expect { Page.hybrid("shed").to_a }.to raise_error(HybridSearch::DocStoreError, /in a transaction/)
      Page.create!(body: "the last")
    end
    expect(Page.hybrid("shed").total_count).to eq(7)
  end

  it "are written by several threads" do
    threads = Array.new(4) do |thread|
      Thread.new do
        base.connection_pool.with_connection { 5.times { |number| Page.create!(body: "shed #{thread} #{number}") } }
      end
    end
    threads.each(&:join)
    expect(Page.hybrid("shed", per: 100).ids.sort).to eq(Page.ids.sort)
  end
end
