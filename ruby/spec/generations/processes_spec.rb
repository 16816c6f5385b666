# frozen_string_literal: true

require "spec_helper"
require "support/generations_processes"
require "support/postgres_stores"
require "support/sqlite_gem"

# Real processes write, read and build one collection at the same time, and some of them are killed.
RSpec.describe "Generations in several processes", unchecked: "it runs in other processes" do
  missing = SqliteGem.missing

  around do |example|
    next skip(missing) if missing

    Dir.mktmpdir { |folder| @folder = folder and example.run }
  ensure
    @processes&.close
  end

  let(:count) { 120 }
  let(:database) { File.join(@folder, "articles.sqlite3") }
  let(:articles) { Articles.new(database).tap { |made| made.fill(count) } }

  # The versions in the index, by id; a document of two versions is an error.
  def indexed(index)
    index.each(match_all: true).group_by(&:doc_id).to_h do |id, hits|
      versions = hits.map { |hit| hit.metadata["version"] }.uniq
      raise "the article #{id} has the versions #{versions}" if versions.size > 1

      wanted = Articles.records_of(id.to_i, versions[0]).map { |record| record[:id] }
      raise "the article #{id} has the parts #{hits.map(&:id)}" unless hits.map(&:id).sort == wanted

      [id.to_i, versions[0]]
    end
  end

  def check(settings, kills:, killed_writers: 0)
    expected = articles
    index = GenerationsProcess.generations(settings, expected)
    index.upsert(expected.after(nil).to_a)
    @processes = GenerationsProcesses.new(settings)
    halves = (1..count).partition(&:odd?)
    shared = settings["find"] ? [(1..count).to_a] * 2 : halves
    writers = shared.each_with_index.map { |ids, seed| @processes.start("write", ids:, seed:) }
    readers = [@processes.start("read"), @processes.start("read", dimension: settings["next"] || 16)]
    @processes.wait_for { [*writers, *readers].all? { |one| one.lines.size > 10 || one.errors.any? } }
    lost = Array.new(killed_writers) do |number|
      writer = @processes.start("write", ids: (1..count).to_a, seed: 10 + number)
      @processes.wait_for { writer.events("done").size > 5 }
      writer
    end
    next_settings = settings["next"] ? { dimension: settings["next"], definition: "other" } : {}
    killer = Thread.new { lost.each { |writer| sleep(0.1) && writer.kill } }
    status, builder = @processes.build_with_kills(kills, **next_settings)
    killer.join
    seen = readers.map { |reader| reader.lines.size }
    @processes.wait_for { readers.zip(seen).all? { |reader, lines| reader.lines.size > lines + 20 } }
    problems = [*writers, *readers].map { |one| [one.kill.termsig, one.errors.grep_v(/full text alone/)] }
    expect(problems).to all(eq([9, []]))
    expect([status.exitstatus, builder.errors, builder.events("promoted")]).to eq([0, [], ["000002"]])
    expect(writers.map { |writer| writer.events("done").size }).to all(be > 20)
    expect(readers.map { |reader| reader.events("total").min }).to all(be_positive)

    begun = [*writers, *lost].flat_map { |writer| writer.events("begun").drop(writer.events("done").size) }
    now = GenerationsProcess.generations(settings.merge(next_settings.transform_keys(&:to_s)), expected)
    found = indexed(now)
    expect(found.except(*begun)).to eq(expected.all.except(*begun))
    expect([now.status.stale?, now.clean(grace: 0)]).to eq([false, ["000001"]])
    expect(now.use { |active| active.store.respond_to?(:check) ? active.check : [] }).to eq([])
    [now, index].each(&:close)
  end

  it "loses no write while a build is killed three times and resumed, in files", nightly: "as is", by_day: false do
    settings = { "directory" => File.join(@folder, "index"), "database" => database, "find" => true }
    check(settings, kills: 3, killed_writers: 2)
  end

  it "repeats the records that writers passed if it cannot look them up, in files", nightly: "as is", by_day: false do
    check({ "directory" => File.join(@folder, "index"), "database" => database }, kills: 2)
  end

  it "changes the model while writers and readers of the previous one continue and a build and a writer are killed" do
    settings = { "directory" => File.join(@folder, "index"), "database" => database, "find" => true, "next" => 24 }
    check(settings, kills: 1, killed_writers: 1)
  end

  context "with PostgreSQL", engines: true do
    let(:stores) { PostgresStores.new(engine_url("postgres")) }

    { 1 => {}, 2 => { by_day: false } }.each do |kills, tags|
      it "loses no write while a build is killed and resumed, and changes the model, #{kills} kills", **tags do
        collection = "generations #{SecureRandom.hex(8)}"
        check({ "url" => engine_url("postgres"), "collection" => collection, "database" => database, "find" => true,
                "next" => 24 }, kills:, killed_writers: 1)
      ensure
        stores.connected do |connection|
          connection.set_notice_processor { nil }
          names = [collection, "#{collection}_000001", "#{collection}_000002"]
          names.each { |name| connection.exec("drop schema if exists #{connection.quote_ident(name)} cascade") }
        end
      end
    end
  end
end
