# frozen_string_literal: true

# Pages of a search (CUR-1 … CUR-4, CUR-7): checks that cases cannot make.
RSpec.describe HybridSearch::Index, unchecked: "walks of many pages", nightly: "with every call checked" do
  # A memory store that records the number of documents that each search returned.
  counting_store = Class.new(HybridSearch::MemoryDocStore) do
    def given
      @given ||= []
    end

    def search(**options)
      super.tap { |found| given << found.ids.size }
    end
  end

  # A memory store that changes after each search: one document is added at the front, or removed there.
  restless_store = Class.new(HybridSearch::MemoryDocStore) do
    attr_accessor :going

    def search(**options)
      super.tap do
        @passing ||= []
        if !going
          @passing << format("!%03d", @passing.size)
          insert([{ "id" => @passing.last }])
        elsif @passing.any?
          delete([@passing.pop])
        end
      end
    end
  end

  tokenizer = HybridSearch::Tokenizer.new
  secret = "a secret that must stay one"

  define_method(:record) do |number|
    words = %w[red wine cheese door].select.with_index { |_, place| (number >> place).odd? }
    { id: format("%<first>02d-%<number>d", first: number * 37 % 97, number:), content: ["red", *words].join(" "),
      metadata: { n: number % 5 } }
  end

  define_method(:filled) do |count, **options|
    index = described_class.new(profile: "ragflow", tokenizer:, min_score: 0.0, **options)
    index.add((0...count).map { |number| record(number) })
    index
  end

  def walk(index, question = "red wine", **options)
    pages = [index.search(question, **options)]
    pages << index.search(question, **options, cursor: pages.last.next_cursor) while pages.last.next_cursor
    pages.map { |page| page.map(&:id) }
  end

  # All hits, by a block, because the signature check of an enumerator would iterate it.
  def hits(index, question, **options)
    [].tap { |found| index.each(question, **options) { |hit| found << hit } }
  end

  it "shows all documents once while they change between the searches of a page" do
    store = restless_store.new
    index = filled(12, store:)
    staying = index.search("", match_all: true, limit: 100).map(&:id)
    shown = []
    cursor = nil
    loop do
      page = index.search("", match_all: true, limit: 3, cursor:)
      shown += page.map(&:id)
      store.going = shown.size >= 6
      break unless (cursor = page.next_cursor) && shown.size < 60
    end
    expect(shown.reject { |id| id.start_with?("!") }).to eq(staying)
  end

  it "walks through the same order with every limit" do
    index = filled(8)
    everything = index.each("red wine").map(&:id)
    expect(everything.size).to eq(8)
    [3, 8, 100].each do |limit|
      pages = walk(index, limit:)
      expect(pages.flatten).to eq(everything)
      expect(pages[0...-1].map(&:size)).to all(eq(limit))
    end
  end

  [
    { question: "red wine" },
    { question: "red wine", order_by: [["metadata.n", "desc"]] },
    { question: "", match_all: true },
    { question: "", match_all: true, order_by: [["metadata.n", "asc"]] }
  ].each do |asked|
    it "shows documents that stay once, while others are added and removed: #{asked}" do
      question = asked[:question]
      options = asked.except(:question)
      index = filled(14)
      staying = (0...14).map { |number| record(number)[:id] }
      shown = []
      cursor = nil
      3.times do |time|
        page = index.search(question, **options, limit: 3, cursor:)
        shown.concat(page.map(&:id))
        cursor = page.next_cursor
        gone = [time * 5, (time * 7) + 1].map { |number| record(number % 14)[:id] }
        index.delete(gone)
        staying -= gone
        index.add([record(14 + time), record(20 + (time * 3))])
      end
      index.each(question, **options, cursor:) { |hit| shown << hit.id }
      expect(shown.uniq).to eq(shown)
      expect(staying - shown).to be_empty
    end
  end

  it "never shows a secret, and signs alike with bytes and text" do
    index = filled(8, cursor_secret: secret)
    cursor = index.search("red", limit: 1).next_cursor
    expect(filled(8, cursor_secret: secret.b).search("red", limit: 1, cursor:).page).to eq(2)
    searcher = index.instance_variable_get(:@searcher)
    settings = searcher.instance_variable_get(:@settings)
    told = [index, searcher, settings, settings.codec].flat_map { |one| [one.inspect, one.to_s] }
    begin
      filled(8, cursor_secret: "another").search("red", limit: 1, cursor:)
    rescue HybridSearch::InvalidCursorError => e
      told << e.full_message
    end
    expect(told.last).to include("wrong check value")
    expect(told.join).not_to include(secret)
  end

  it "refuses an empty or invalid secret without showing it" do
    ["", 5, ["x"]].each do |wrong|
      expect { described_class.new(tokenizer:, cursor_secret: wrong) }
        .to raise_error(HybridSearch::InvalidInputError, "cursor_secret must be bytes or a text, not empty")
    end
  end

  it "ranks once a page, and with a cache once a walk" do
    [[nil, 4], [HybridSearch::RankingCache.new, 1]].each do |ranking_cache, searches|
      store = counting_store.new
      expect(walk(filled(8, store:, ranking_cache:), limit: 2).size).to eq(4)
      expect(store.given).to eq([8] * searches)
    end
  end

  it "uses a cached ranking only for the same rerank model" do
    lengths = Class.new do
      def asked = @asked.to_i

      def score(_question, texts)
        @asked = asked + 1
        texts.map { |text| 1.0 / text.length }
      end
    end
    cache = HybridSearch::RankingCache.new
    index = filled(8, ranking_cache: cache)
    models = [lengths.new, lengths.new]
    models.each do |model|
      cursor = nil
      4.times { cursor = index.search("red wine", limit: 2, rerank_model: model.method(:score), cursor:).next_cursor }
    end
    expect(models.map(&:asked)).to eq([1, 1])
    expect([cache.misses, cache.hits, cache.size]).to eq([2, 6, 2])
  end

  it "reads a page at a time, and all hits in parts" do
    store = counting_store.new
    index = filled(12, store:)
    expect(walk(index, "", match_all: true, limit: 3).size).to eq(4)
    expect(store.given).to eq([4, 5, 5, 4])
    store.given.clear
    expect(hits(index, "", match_all: true, limit: 3).size).to eq(12)
    expect(store.given).to eq([12])
  end

  it "reads only one part for the first of many hits" do
    store = counting_store.new
    store.insert(Array.new(600) { |number| { "id" => format("%03d", number) } })
    seen = []
    filled(0, store:).each(match_all: true) do |hit|
      seen << hit.id
      break if seen.size == 2
    end
    expect([seen, store.given]).to eq([%w[000 001], [257]])
  end

  it "finds its place in a changed index in few steps" do
    store = counting_store.new
    store.insert(Array.new(64) { |number| { "id" => format("%02d", number) } })
    index = filled(0, store:)
    cursor = index.search(match_all: true, limit: 40).next_cursor
    index.delete((0...64).step(2).map { |number| format("%02d", number) })
    store.given.clear
    index.search(match_all: true, limit: 5, cursor:)
    expect(store.given.size).to be <= 14
  end

  it "caps a limit and a number of candidates" do
    [[{ max_results: 5 }, 5], [{ max_results: 100, candidates: 7 }, 7], [{}, 12]].each do |options, shown|
      store = counting_store.new
      page = filled(12, store:, **options).search("red wine", limit: 50)
      expect(store.given).to eq([shown])
      expect([page.size, page.total, page.total_is_lower_bound?]).to eq([shown, shown, shown < 12])
    end
  end

  it "reads only the documents that a page shows" do
    read = []
    reading = Class.new(HybridSearch::MemoryDocStore) do
      define_method(:get_many) do |identifiers, vector_fields = nil|
        read.concat(identifiers)
        super(identifiers, vector_fields)
      end
    end
    page = filled(9, store: reading.new, ranking_cache: HybridSearch::RankingCache.new)
           .search("red wine", limit: 3, page: 2)
    expect(read).to eq(page.map(&:id))
  end

  it "fills a page if documents of a cached ranking were removed" do
    index = filled(16, ranking_cache: HybridSearch::RankingCache.new)
    cursor = index.search("red wine", limit: 5).next_cursor
    following = index.each("red wine", cursor:).map(&:id)
    gone = following.values_at(0, 2, 4, 6)
    index.delete(gone)
    page = index.search("red wine", limit: 5, cursor:)
    expect(page.map(&:id)).to eq((following - gone).first(5))
    expect(page).to be_index_changed
  end

  it "ends a walk over all hits of a question at its candidates, and logs it" do
    index = described_class.new(tokenizer:, max_results: 5)
    index.add(Array.new(12) { |number| { id: format("%02d", number), content: "red" } })
    lines = []
    logger = Object.new
    logger.define_singleton_method(:warn) { |_, &line| lines << line.call }
    HybridSearch.logger = logger
    expect(hits(index, "", match_all: true, limit: 2).size).to eq(12)
    expect(lines).to eq([])
    expect([hits(index, "red", limit: 2).size, hits(index, "red", candidates: 4).size]).to eq([5, 4])
    expect(lines).to eq([5, 4].map { |count| "the hits end at #{count} candidates; more may match" })
  ensure
    HybridSearch.logger = nil
  end

  it "refuses wrong options when each is called, and ranks again for each iteration" do
    index = filled(4)
    [{ limt: 1 }, { limit: 0 }, { cursor: "x" }].each do |options|
      expect { index.each("red", **options) }.to raise_error(HybridSearch::Error)
    end
    hits = index.each("red")
    before = hits.map(&:id)
    index.add([record(9)])
    expect(hits.map(&:id)).to match_array([*before, record(9)[:id]])
  end

  it "accepts defaults in the constructor, except for options of a single search" do
    expect(walk(filled(12, limit: 3, candidates: 6)).map(&:size)).to eq([3, 3])
    [{ cursor: "x" }, { page: 2 }, { vector: [1.0] }].each do |options|
      expect { described_class.new(tokenizer:, **options) }
        .to raise_error(HybridSearch::InvalidInputError, /\Aunknown option "#{options.keys[0]}"/)
    end
  end

  it "refuses a generation that does not fit a cursor" do
    odd = Class.new(HybridSearch::MemoryDocStore) { def generation = 1.5 }
    expect { Signatures.wrong { described_class.new(tokenizer:, store: odd.new).search("red") } }
      .to raise_error(HybridSearch::DocStoreError, "the generation of the store must be an integer or a text, not 1.5")
  end

  it "shares a cache among threads and indexes" do
    cache = HybridSearch::RankingCache.new(max_entries: 2)
    indexes = (0...3).map { |number| filled(4 + number, ranking_cache: cache) }
    expected = indexes.map { |index| walk(index, limit: 2) }
    walked = (0...6).map { |place| Thread.new { walk(indexes[place % 3], limit: 2) } }
    expect(walked.map(&:value)).to eq((0...6).map { |place| expected[place % 3] })
    expect(cache.size).to be <= 2
    cache.clear
    expect([cache.size, cache.bytes]).to eq([0, 0])
    expect(cache.inspect).to eq("#<HybridSearch::RankingCache size=0, bytes=0>")
  end

  it "refuses invalid bounds and invalid caches" do
    [{ max_entries: 0 }, { max_bytes: 0 }, { max_seconds: 0 }].each do |wrong|
      expect { HybridSearch::RankingCache.new(**wrong) }
        .to raise_error(HybridSearch::InvalidInputError, /#{wrong.keys[0]}/)
    end
    expect { described_class.new(tokenizer:, ranking_cache: true) }
      .to raise_error(HybridSearch::InvalidInputError, "ranking_cache must be a RankingCache, not true")
  end
end
