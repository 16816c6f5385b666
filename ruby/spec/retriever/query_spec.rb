# frozen_string_literal: true

# Walks by cursor (CUR-1 … CUR-4, CUR-7): what cases cannot say.
RSpec.describe HybridSearch::Retriever do
  # A memory store that remembers how many documents each search gave.
  counting_store = Class.new(HybridSearch::MemoryDocStore) do
    def given
      @given ||= []
    end

    def search(**options)
      super.tap { |found| given << found.ids.size }
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
    index = HybridSearch::Index.new(tokenizer:, similarity_threshold: 0.0, **options)
    index.add((0...count).map { |number| record(number) })
    index
  end

  def walk(index, question = "red wine", **options)
    pages = [index.query(question, **options)]
    pages << index.query(question, **options, cursor: pages.last.next_cursor) while pages.last.next_cursor
    pages.map { |page| page.map(&:chunk_id) }
  end

  it "walks one order with every limit" do
    index = filled(64)
    everything = index.each_result("red wine").map(&:chunk_id)
    expect(everything.size).to eq(64)
    [1, 3, 10, 64, 100].each do |limit|
      pages = walk(index, limit:)
      expect(pages.flatten).to eq(everything)
      expect(pages[0...-1].map(&:size)).to all(eq(limit))
    end
  end

  [{ question: "red wine" }, { question: "red wine", order_by: [["metadata.n", "desc"]] },
   { question: "", match_all: true }, { question: "", match_all: true, order_by: [["metadata.n", "asc"]] }].each do |asked|
    it "shows what stays once, whatever comes and goes: #{asked}" do
      question = asked[:question]
      options = asked.except(:question)
      [[3, 5, 7], [1, 2, 11], [4, 13, 17]].each do |limit, step, later|
        index = filled(40)
        staying = (0...40).map { |number| record(number)[:id] }
        shown = []
        cursor = nil
        5.times do |time|
          page = index.query(question, **options, limit:, cursor:)
          shown.concat(page.map(&:chunk_id))
          cursor = page.next_cursor
          gone = [(time * step) % 40, (time * later) % 40].map { |number| record(number)[:id] }
          index.delete(gone)
          staying -= gone
          index.add([record(40 + time), record(60 + (time * 3))])
        end
        shown.concat(index.each_result(question, **options, cursor:).map(&:chunk_id))
        expect(shown.uniq).to eq(shown)
        expect(staying - shown).to be_empty
      end
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
      expect(walk(filled(40, store:, ranking_cache:), limit: 10).size).to eq(4)
      expect(store.given).to eq([40] * searches)
    end
  end

  it "reads everything a page at a time, lazily" do
    store = counting_store.new
    index = filled(60, store:)
    expect(walk(index, "", match_all: true, limit: 7).size).to eq(9)
    expect(store.given.size).to eq(9)
    store.given.clear
    expect(index.each_result("", match_all: true, limit: 7).lazy.map(&:chunk_id).first(3).size).to eq(3)
    expect(store.given).to eq([8])
  end

  it "asks for another candidate only where the cap was reached" do
    [[{ max_results: 5 }, 2], [{ max_results: 5, budget: 5 }, 1], [{ max_results: 100 }, 1]].each do |options, searches|
      store = counting_store.new
      page = filled(40, store:, **options).query("red wine")
      expect(store.given.size).to eq(searches)
      expect(page.paging.capped?).to be(searches == 2)
    end
  end

  it "shares a cache among threads and indexes" do
    cache = HybridSearch::RankingCache.new(max_entries: 3)
    indexes = (0...4).map { |number| filled(20 + number, ranking_cache: cache) }
    expected = indexes.map { |index| walk(index, limit: 5) }
    walked = (0...8).map { |place| Thread.new { Array.new(3) { walk(indexes[place % 4], limit: 5) }.uniq } }
    expect(walked.map(&:value)).to eq((0...8).map { |place| [expected[place % 4]] })
    expect(cache.size).to be <= 3
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
