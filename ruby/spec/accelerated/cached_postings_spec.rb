# frozen_string_literal: true

# The cache of postings: what it holds, what it removes, and what it counts.
RSpec.describe "CachedPostings" do
  slots = 8
  bytes = 16 * slots
  let(:accelerated) { HybridSearch.const_get(:Accelerated) }

  def posting(all_slots = 8)
    accelerated.const_get(:Posting).new((0...8).to_a, [0.5] * 8, all_slots)
  end

  def cache(memory = nil)
    accelerated.const_get(:CachedPostings).new(memory)
  end

  def kept(cache, keys)
    keys.select { |key| cache.find(key)[0] }
  end

  it "caches a key without documents too" do
    own = cache(bytes)
    expect(own.find("a")).to eq [false, nil]
    own.keep("a", nil, 0)
    expect(own.find("a")).to eq [true, nil]
  end

  it "retains the postings that were used last" do
    own = cache(3 * bytes)
    %w[a b c].each { |key| own.keep(key, posting, 0) }
    own.find("a")
    own.keep("d", posting, 0)
    expect(kept(own, %w[a b c d])).to eq %w[a c d]
  end

  it "counts a posting once that is cached again" do
    own = cache(2 * bytes)
    %w[a a b].each { |key| own.keep(key, posting, 0) }
    expect(kept(own, %w[a b])).to eq %w[a b]
  end

  it "has all its room again if threads have counted an entry twice" do
    own = cache(3 * bytes)
    own.instance_variable_set(:@size, 9 * bytes)
    %w[a b c].each { |key| own.keep(key, posting, 0) }
    expect(kept(own, %w[a b c])).to eq %w[a b c]
  end

  it "counts what searches have computed of a posting" do
    common = posting(bytes)
    expect(common.size).to eq bytes
    common.bytes
    steps = 8 * slots
    expect(common.size).to eq bytes + steps + bytes
    lanes = [1, 2].sum { |unit| common.lanes(unit, bytes).size }
    expect(common.size).to eq bytes + steps + bytes + lanes
    more = common.lanes(1, bytes + 1).size
    expect(common.size).to eq bytes + steps + bytes + more
  end

  it "has less room for others once a posting that has grown is used" do
    [[2 * bytes, %w[b]], [3 * bytes, %w[a b]]].each do |room, expected|
      own = cache(room)
      grown = posting
      own.keep("a", posting, 0)
      own.keep("b", grown, 0)
      grown.steps
      own.find("b")
      expect(kept(own, %w[a b])).to eq expected
    end
  end

  it "has more room for a field of more tokens if there is no limit" do
    own = cache
    room = accelerated.const_get(:CachedPostings)::SMALLEST_ROOM
    large = accelerated.const_get(:Posting).new((0...(room / 16)).to_a, [0.5] * (room / 16), room)
    own.keep("a", large, 0)
    own.keep("b", posting, 0)
    expect(kept(own, %w[a b])).to eq %w[b]
    own.keep("a", large, bytes)
    expect(kept(own, %w[a b])).to eq %w[a b]
  end
end
