# frozen_string_literal: true

# Arranged hits: the limits of windows and depths, and near duplicates compared with all pairs (ARR-1 … ARR-4).
RSpec.describe HybridSearch::Search::Arrangement do
  search = HybridSearch::Search
  window = search::NearDuplicates::WINDOW
  depth = search::Diversity::DEPTH

  define_method(:keys_of) do |count, tier = 1|
    (0...count).map { |place| search::RankingKey.new([], tier, 1.0 - (place / 1000.0), 0.0, format("k%04d", place)) }
  end

  def fold(lowest, keys, documents)
    near = HybridSearch::Search::NearDuplicates.new(lowest)
    [near.fold(keys, documents), near.duplicates.transform_values { |found| found.map(&:id) }]
  end

  it "folds the near duplicates found by comparing all pairs" do
    chance = Random.new(33)
    texts = Array.new(75) { Array.new(chance.rand(0..9)) { "w#{chance.rand(12)}" }.join(" ") }
    texts = (texts + texts.map { |text| "#{text} w#{chance.rand(4)}" }).shuffle(random: chance)
    keys = keys_of(texts.size)
    documents = keys.zip(texts).to_h { |key, text| [key.id, { "content_ltks" => text }] }
    shingles = documents.transform_values { |document| search::ContentTokens.shingles(document) }
    [0.5, 0.75].each do |lowest|
      kept = []
      folded = {}
      keys.each do |key|
        similar = kept.last(window).find do |other|
          search::ContentTokens.jaccard(shingles[key.id], shingles[other.id]) >= lowest
        end
        similar ? (folded[similar.id] ||= []) << key.id : kept << key
      end
      expect(fold(lowest, keys, documents)).to eq [kept, folded]
    end
  end

  it "folds a duplicate up to 64 hits after the better one" do
    [[window - 1, 1], [window, 0]].each do |between, folded|
      keys = keys_of(between + 2)
      documents = keys.to_h { |key| [key.id, { "content_ltks" => "a#{key.id} b#{key.id} c#{key.id}" }] }
      documents[keys.last.id] = documents[keys.first.id]
      expect(fold(0.9, keys, documents)[0].size).to eq keys.size - folded
    end
  end

  it "compares the first 512 tokens" do
    shared = Array.new(510) { |number| "w#{number}" }.join(" ")
    [[["x y", "x z"], 0], [["x y z", "x y u"], 1]].each do |tails, folded|
      keys = keys_of(2)
      documents = keys.zip(tails).to_h { |key, tail| [key.id, { "content_ltks" => "#{shared} #{tail}" }] }
      expect(fold(1.0, keys, documents)[0].size).to eq 2 - folded
    end
  end

  it "changes the places of the first hundred hits of one tier only" do
    store = HybridSearch::MemoryDocStore.new
    keys = keys_of(depth + 20)
    store.insert(keys.each_with_index.map do |key, place|
      { "id" => key.id, "content_ltks" => place < depth ? "same" : "other" }
    end)
    diversity = search::Diversity.new(store, 1.0, nil)
    expect(diversity.order(keys)).to eq keys
    expect(diversity.parts.size).to eq depth
    mixed = search::Diversity.new(store, 0.5, nil)
    mixed.order([*keys_of(3, 0), *keys.drop(3)])
    expect(mixed.parts.size).to eq 3
  end
end
