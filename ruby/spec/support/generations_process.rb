# frozen_string_literal: true

# One process of an application whose articles are in a SQLite database and whose index has generations: it writes,
# reads or builds until it is ended. Arguments: the role, a JSON object of settings. It prints a line for each action
# that it took.

require "json"
require "sqlite3"
require "hybrid_search/generations"

# The articles of the application.
class Articles
  def initialize(path)
    @database = SQLite3::Database.new(path)
    @database.busy_timeout = 20_000
    @database.execute("pragma journal_mode = wal")
    @database.execute("create table if not exists articles (id integer primary key, version integer)")
  end

  def fill(count)
    @database.transaction { (1..count).each { |id| @database.execute("insert into articles values (?, 1)", [id]) } }
  end

  # The next version of an article; it is deleted by every seventh.
  def change(id)
    version = nil
    @database.transaction(:immediate) do
      version = @database.get_first_value("select version from articles where id = ?", [id]).to_i.abs + 1
      version = -version if (version % 7).zero?
      @database.execute("replace into articles values (?, ?)", [id, version])
    end
    version
  end

  def records(ids)
    marks = (["?"] * ids.size).join(", ")
    rows = @database.execute("select id, version from articles where id in (#{marks}) and version > 0", ids.map(&:to_i))
    rows.flat_map { |id, version| Articles.records_of(id, version) }
  end

  def after(id)
    Enumerator.new do |found|
      last = id.to_i
      loop do
        rows = @database.execute("select id, version from articles where id > ? order by id limit 10", [last])
        break if rows.empty?

        last = rows.last[0]
        rows.each { |row| Articles.records_of(*row).each { |record| found << record } if row[1].positive? }
      end
    end
  end

  def all
    @database.execute("select id, version from articles where version > 0").to_h
  end

  # One to three chunks, all of which contain the version.
  def self.records_of(id, version)
    Array.new(1 + (version % 3)) do |place|
      { id: "#{id}##{place}", doc_id: id, content: "article #{id} part #{place}",
        metadata: { version: } }
    end
  end
end

# The generations that settings name.
module GenerationsProcess
  module_function

  def generations(settings, articles)
    dimension = settings.fetch("dimension", 16)
    options = { embedding: HybridSearch::HashingEmbedder.new(dimension:), definition: settings["definition"],
                former_embeddings: [HybridSearch::HashingEmbedder.new(dimension: 16)], refresh: 0.05,
                find: settings["find"] ? articles.method(:records) : nil }
    return HybridSearch::Generations.files(settings.fetch("directory"), **options) if settings["directory"]

    HybridSearch::Generations.postgres(settings.fetch("url"), collection: settings.fetch("collection"), **options)
  end

  def write(settings, articles, index)
    random = Random.new(settings.fetch("seed"))
    loop do
      id = settings.fetch("ids").sample(random:)
      puts JSON.generate(begun: id)
      version = articles.change(id)
      store(settings, index, id, version)
      puts JSON.generate(done: id)
      sleep(random.rand * 0.01)
    end
  end

  def store(settings, index, id, version)
    return index.sync(id) if settings["find"]

    version.negative? ? index.delete(id) : index.upsert(Articles.records_of(id, version))
  end

  def read(_settings, _articles, index)
    loop do
      page = index.search("article part", limit: 5)
      following = index.search("article part", limit: 5, cursor: page.next_cursor) if page.next_cursor
      puts JSON.generate(total: page.total, hits: page.size + following.to_a.size)
    rescue HybridSearch::InvalidCursorError => e
      puts JSON.generate(expired: e.message)
    end
  end

  def build(settings, articles, index)
    progress = lambda do |done, _|
      puts JSON.generate(copied: done)
      sleep(settings.fetch("pause", 0))
    end
    index.reindex(articles.method(:after), progress:, batch_size: 10)
    puts JSON.generate(promoted: index.status.active)
  end
end

if $PROGRAM_NAME == __FILE__
  $stdout.sync = true
  role, text = ARGV
  settings = JSON.parse(text)
  articles = Articles.new(settings.fetch("database"))
  GenerationsProcess.public_send(role, settings, articles, GenerationsProcess.generations(settings, articles))
end
