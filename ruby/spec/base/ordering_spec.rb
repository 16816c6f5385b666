# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Base::Ordering do
  let(:pairs) do
    scores = [0.0, -0.0, 0.5, 0.5000000000000001, -1.0]
    %w[b a B é 😀 ａ ab 中 z 10 1 2].each_with_index.map { |id, index| [id, scores[index % 5]] }
  end

  it "does not depend on the order of the input" do
    expected = described_class.rank(pairs)
    20.times do |seed|
      shuffled = pairs.shuffle(random: Random.new(seed))
      expect(described_class.rank(shuffled)).to eq(expected)
      indexes = described_class.rank_indexes(shuffled.map(&:first), shuffled.map(&:last))
      expect(shuffled.values_at(*indexes)).to eq(expected)
    end
  end

  it "compares ids by code points and treats both zeros as equal" do
    expect(described_class.rank([["😀", 0.0], ["ａ", -0.0], ["a", 0.0]]).map(&:first)).to eq(%w[a ａ 😀])
  end

  it "keeps the order of equal pairs" do
    ranked = described_class.rank(Array.new(50) { |index| ["a", [0.0, -0.0][index % 2]] })
    expect(ranked.map { |_, score| 1.0 / score }).to eq([Float::INFINITY, -Float::INFINITY] * 25)
  end

  it "puts tiers first" do
    rows = [[1, 9.0, 9.0, "a"], [0, 0.1, 0.5, "c"], [0, 0.1, 0.5, "b"], [0, 0.1, 0.6, "d"]]
    expect(rows.sort { |left, right| described_class.compare_tiered(left, right) }.map(&:last)).to eq(%w[d b c a])
  end
end
