# frozen_string_literal: true

# Walks by cursor (CUR-1 … CUR-4, CUR-7): what cases cannot say.
RSpec.describe HybridSearch::Retriever, unchecked: "walks of many pages", nightly: "with every call checked" do
  # A memory store that remembers how many documents each search gave.
  counting_store = Class.new(HybridSearch::MemoryDocStore) do
    def given
      @given ||= []
    end

    def search(**options)
      super.tap { |found| given << found.ids.size }
    end
  end

  # A memory store that others change after each search: one document comes at the front, or goes there.
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
    index = HybridSearch::Index.new(profile: "ragflow", tokenizer:, similarity_threshold: 0.0, **options)
    index.add((0...count).map { |number| record(number) })
    index
  end

  def walk(index, question = "red wine", **options)
    pages = [index.query(question, **options)]
    pages << index.query(question, **options, cursor: pages.last.next_cursor) while pages.last.next_cursor
    pages.map { |page| page.map(&:chunk_id) }
  end

  it "shows all documents once though they change between the searches of a page" do
    store = restless_store.new
    index = filled(12, store:)
    staying = index.query("", match_all: true, limit: 100).map(&:chunk_id)
    shown = []
    cursor = nil
    loop do
      page = index.query("", match_all: true, limit: 3, cursor:)
      shown += page.map(&:chunk_id)
      store.going = shown.size >= 6
      break unless (cursor = page.next_cursor) && shown.size < 60
    end
    expect(shown.reject { |id| id.start_with?("!") }).to eq(staying)
  end

  it "walks one order with every limit" do
    index = filled(8)
    everything = index.each_result("red wine").map(&:chunk_id)
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
    it "shows what stays once, whatever comes and goes: #{asked}" do
      question = asked[:question]
      options = asked.except(:question)
      index = filled(14)
      staying = (0...14).map { |number| record(number)[:id] }
      shown = []
      cursor = nil
      3.times do |time|
        page = index.query(question, **options, limit: 3, cursor:)
        shown.concat(page.map(&:chunk_id))
        cursor = page.next_cursor
        gone = [time * 5, (time * 7) + 1].map { |number| record(number % 14)[:id] }
        index.delete(gone)
        staying -= gone
        index.add([record(14 + time), record(20 + (time * 3))])
      end
      index.each_result(question, **options, cursor:) { |hit| shown << hit.chunk_id }
      expect(shown.uniq).to eq(shown)
      expect(staying - shown).to be_empty
    end
  end

  it "shows no secret in errors and inspections, and signs bytes and text alike" do
    index = filled(8, cursor_secret: secret)
    cursor = index.query("red", limit: 1).next_cursor
    expect(filled(8, cursor_secret: secret.b).query("red", limit: 1, cursor:).paging.position).to eq(1)
    told = [index, index.retriever, index.retriever.instance_variable_get(:@query_pages)].map(&:inspect)
    told << HybridSearch::Retrieving::CursorCodec.new(secret).inspect
    begin
      filled(8, cursor_secret: "another").query("red", limit: 1, cursor:)
    rescue HybridSearch::InvalidCursorError => e
      told << e.full_message
    end
    expect(told.last).to include("wrong check value")
    expect(told.join).not_to include(secret)
  end

  it "refuses a secret that is empty or none, without showing it" do
    ["", 5, ["x"]].each do |wrong|
      expect { HybridSearch::Index.new(tokenizer:, cursor_secret: wrong) }
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

  it "finds a kept ranking for the same rerank model alone" do
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
      4.times { cursor = index.query("red wine", limit: 2, rerank_model: model.method(:score), cursor:).next_cursor }
    end
    expect(models.map(&:asked)).to eq([1, 1])
    expect([cache.misses, cache.hits, cache.size]).to eq([2, 6, 2])
  end

  it "reads everything a page at a time, lazily" do
    store = counting_store.new
    index = filled(12, store:)
    expect(walk(index, "", match_all: true, limit: 3).size).to eq(4)
    expect(store.given).to eq([4, 5, 5, 4])
    store.given.clear
    seen = []
    index.each_result("", match_all: true, limit: 3) do |hit|
      seen << hit
      break if seen.size == 2
    end
    expect(store.given).to eq([4])
  end

  it "reads the pages of everything block by block" do
    store = counting_store.new
    index = filled(120, store:)
    store.given.clear
    pages = []
    index.each_page("", match_all: true, page_size: 7) { |page| pages << page }
    expect(pages.map { |page| page.chunks.size }).to eq(([7] * 17) + [1])
    expect(pages.map(&:total).uniq).to eq([120])
    expect(store.given).to eq([70, 50])
  end

  it "asks for another candidate only where the cap was reached" do
    [[{ max_results: 5 }, 2], [{ max_results: 5, budget: 5 }, 1], [{ max_results: 100 }, 1]].each do |options, searches|
      store = counting_store.new
      page = filled(8, store:, **options).query("red wine")
      expect(store.given.size).to eq(searches)
      expect(page.paging.capped?).to be(searches == 2)
    end
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

  it "refuses bounds that are none, and a cache that is none" do
    [{ max_entries: 0 }, { max_bytes: 0 }, { max_seconds: 0 }].each do |wrong|
      expect { HybridSearch::RankingCache.new(**wrong) }
        .to raise_error(HybridSearch::InvalidInputError, /#{wrong.keys[0]}/)
    end
    expect { HybridSearch::Index.new(tokenizer:, ranking_cache: true) }
      .to raise_error(HybridSearch::InvalidInputError, "ranking_cache must be a RankingCache, not true")
  end
end
