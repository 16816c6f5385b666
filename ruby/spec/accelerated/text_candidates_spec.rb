# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Accelerated::TextCandidates do
  # Clauses of any frequency with few different scores, so that many sums are equal or nearly so.
  def clauses(random, slots)
    unboosted = random.rand < 0.5
    largest = [0.01, 1.0, 30.0, 3000.0].sample(random:)
    Array.new(2 + random.rand(8)) do
      all_slots = (slots / 2) + random.rand((slots / 2) + 1)
      held = Array.new(all_slots) { |slot| slot }.sample(1 + (all_slots * (random.rand**3)).floor, random:).sort
      levels = Array.new(3) { random.rand * largest } << 0.0
      scores = held.map { levels.sample(random:) * (1.0 + (1e-15 * random.rand(3))) }
      boost = unboosted ? 1.0 : [0.0, 1e-12, 0.3, 1.0, 40.0].sample(random:)
      [boost, HybridSearch::Accelerated::Posting.new(held, scores, all_slots)]
    end
  end

  def sums(clauses)
    clauses.each_with_object(Hash.new(0.0)) do |(boost, posting), sums|
      posting.slots.each_with_index { |slot, index| sums[slot] += boost * posting.scores[index] }
    end
  end

  # A few clauses that weigh about the same, most of them common.
  def flat_clauses(slots)
    random = Random.new(1)
    [20, 90, 400, slots / 5, slots / 2, slots - 100].map do |count|
      held = Array.new(slots) { |slot| slot }.sample(count, random:).sort
      [1.0, HybridSearch::Accelerated::Posting.new(held, held.map { 5 * (1 + (random.rand**4)) }, slots)]
    end
  end

  [[40, 40, true], [3000, 15, true], [40, 1500, false], [3000, 600, false]].each do |slots, rounds, checked|
    tag = checked ? {} : { unchecked: "many random queries" }
    it "finds the best of #{slots} with all ties, #{rounds} queries", **tag do
      random = Random.new(slots + rounds)
      totals = Array.new(slots, 0)
      told = 0
      rounds.times do
        matched = clauses(random, slots)
        limit = [1, 2, 10, 100, 128].sample(random:)
        counted = random.rand < 0.6 ? nil : Array.new(slots) { [0, 0, 1].sample(random:) }.pack("C*")
        found = described_class.new(slots, totals).find(matched, limit, counted)
        expect(totals).to all(eq(0))
        next unless found

        told += 1
        counting = sums(matched).select { |slot, _| counted.nil? || counted.getbyte(slot) == 1 }
        least = counting.values.max(limit)[-1]
        expect(counting.size).to be >= limit
        expect(found).to eq(found.uniq)
        expect(found - counting.keys).to eq([])
        expect(counting.select { |_, sum| sum >= least }.keys - found).to eq([])
      end
      expect(told).to be > rounds / 5
    end
  end

  it "adds the scores of common clauses to all documents at once if many documents are candidates" do
    slots = 4000
    matched = flat_clauses(slots)
    allow(HybridSearch::Accelerated::CommonSums).to receive(:new).and_call_original
    found = described_class.new(slots, Array.new(slots, 0)).find(matched, 10, nil)
    expect(HybridSearch::Accelerated::CommonSums).to have_received(:new)
    expect(found.size).to be_between(10, 30)
    expect(sums(matched).max_by(10) { |_, sum| sum }.map(&:first) - found).to eq([])
  end

  it "leaves scores that steps cannot distinguish to the sums" do
    [[-1.0, 2.0], [1.0, 1e6], [0.0, 0.0]].each do |scores|
      matched = Array.new(2) { [1.0, HybridSearch::Accelerated::Posting.new([0, 3], scores, 5)] }
      expect(described_class.new(5, Array.new(5, 0)).find(matched, 1, nil)).to be_nil
    end
  end
end

RSpec.describe HybridSearch::Accelerated::CommonSums do
  let(:postings) do
    [[[0, 2, 3], [1.0, 0.3, 2.0]], [[0, 1, 3], [0.25, 5.0, 0.0]]].map do |slots, scores|
      HybridSearch::Accelerated::Posting.new(slots, scores, 4)
    end
  end

  it "has a byte for each slot, rounded up" do
    sums = described_class.new(postings, 5)
    expect(sums.unit).to eq(16_384)
    expect(Array.new(5) { |slot| (sums.bytes.getbyte(slot + 1) * sums.unit) - sums.nothing }.map { |sum| sum / 16_384 })
      .to eq([5, 20, 2, 8, 0])
    expect(sums.slots_with(8 * 16_384)).to eq([1, 3])
    expect(sums.slots_with((8 * 16_384) + 1)).to eq([1])
    expect(sums.slots_with(128 * 16_384)).to eq([])
  end

  it "caches only the lanes of a posting for the current size of the store" do
    first, grown = [5, 6].map { |slots| postings[0].lanes(16_384, slots) }
    expect(postings[0].lanes(16_384, 6)).to be(grown)
    expect(postings[0].lanes(16_384, 5)).to eq(first)
    expect(postings[0].instance_variable_get(:@lanes).keys).to eq([5])
  end

  it "has larger units for larger scores, up to where bytes would overflow" do
    posting = ->(score) { HybridSearch::Accelerated::Posting.new([0], [score], 1) }
    expect(described_class.unit([posting.call(31.75)])).to eq(16_384)
    expect(described_class.unit([posting.call(31.75), posting.call(0.25)])).to eq(32_768)
    expect(described_class.unit([posting.call(508.0)])).to eq(262_144)
    expect(described_class.unit([posting.call(508.1)])).to be_nil
  end
end
