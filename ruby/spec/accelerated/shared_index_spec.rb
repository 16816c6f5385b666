# frozen_string_literal: true

require "spec_helper"

# Fields whose tokens have had no parts so far share one inverted index, which changes no result of a search.
RSpec.describe HybridSearch::Accelerated::FastDocumentIndex do
  let(:kit) { HybridSearch::AdapterKit }
  let(:fields) { %w[content_ltks content_sm_ltks title_tks title_sm_tks] }
  let(:words) { Array.new(12) { |place| "w#{place}" } }

  def document(random, identifier, divided)
    made = { "id" => identifier }
    fields.each_slice(2) do |whole, parts|
      tokens = Array.new(1 + random.rand(60)) { words.sample(random:) }.join(" ")
      made[whole] = tokens
      made[parts] = random.rand < divided ? "#{tokens} p" : tokens
    end
    made.delete(fields.sample(random:)) if random.rand < divided / 2
    made.to_a.shuffle(random:).to_h
  end

  def found(store)
    words = %w[w1 p].map { |word| kit::Tree::Term.new(word) }
    phrase = kit::Tree::Phrase.new(%w[w2 w3])
    fields.flat_map do |field|
      [*words, phrase].map do |query|
        store.rank([kit::MatchTextExpr.new(fields: [[field, 1.0]], tree: query, topn: 50)])
      end
    end
  end

  it "changes no result by sharing an index" do
    8.times do |seed|
      random = Random.new(seed)
      plain, fast = %w[plain fast].map { |kernels| HybridSearch::MemoryDocStore.new(kernels:) }
      stored = []
      6.times do |step|
        divided = step < random.rand(5) ? 0.0 : [0.0, 0.3].sample(random:)
        fresh = Array.new(1 + random.rand(10)) { |place| document(random, "d#{step}.#{place}", divided) }
        changed = stored.sample(3, random:).map { |one| document(random, one, divided) }
        gone = random.rand < 0.5 ? stored.sample(2, random:) : []
        [plain, fast].each do |store|
          store.upsert(fresh + changed)
          store.delete(gone)
        end
        stored = (stored | fresh.map { |one| one["id"] }) - gone
        expect(found(fast)).to eq(found(plain))
      end
    end
  end

  it "shares an index for English until a token has parts" do
    store = HybridSearch::MemoryDocStore.new(kernels: "fast")
    shared = lambda do
      indexes = store.instance_variable_get(:@snapshot).instance_variable_get(:@documents)
                     .instance_variable_get(:@text_indexes)
      indexes["content_ltks"].equal?(indexes["content_sm_ltks"])
    end
    store.insert([{ "id" => "1", "content_ltks" => "one two", "content_sm_ltks" => "one two" }])
    expect(shared.call).to be(true)
    store.insert([{ "id" => "2", "content_ltks" => "onetwo", "content_sm_ltks" => "one two" }])
    expect(shared.call).to be(false)
  end
end
