# frozen_string_literal: true

RSpec.describe HybridSearch::KnownWeights do
  let(:asked) { [] }
  let(:weigh) do
    lambda do |term|
      asked << term
      term.length.to_f
    end
  end

  it "has a term weighed once" do
    known = described_class.new(HybridSearch::Tokenizer.new)
    expect(known.of(%w[ab c ab], &weigh)).to eq([2.0, 1.0, 2.0])
    expect(known.of(%w[c d], &weigh)).to eq([1.0, 1.0])
    expect(asked).to eq(%w[ab c d])
  end

  it "forgets when a word is added" do
    segmenter = HybridSearch::Segmenter.new
    tokenizer = HybridSearch::Tokenizer.new(segmenter:)
    weigher = HybridSearch::TermWeight.new(tokenizer:)
    before = weigher.weights(%w[网易杭研大厦 的], preprocess: false)
    expect(weigher.weights(%w[网易杭研大厦 的], preprocess: false)).to eq(before)
    segmenter.add_word("网易杭研大厦", frequency: 100_000, tag: "ns")
    after = weigher.weights(%w[网易杭研大厦 的], preprocess: false)
    expect(after).not_to eq(before)
    expect(after).to eq(
      HybridSearch::TermWeight.new(tokenizer:).weights(%w[网易杭研大厦 的], preprocess: false)
    )
  end

  it "keeps nothing of other tokenizers" do
    known = described_class.new(Class.new(HybridSearch::Tokenizer).new)
    expect(known.of(%w[ab ab], &weigh) + known.of(%w[ab], &weigh)).to eq([2.0] * 3)
    expect(asked).to eq(%w[ab ab ab])
  end

  it "keeps neither long terms nor too many" do
    stub_const("#{described_class}::MOST_KNOWN", 3)
    known = described_class.new(HybridSearch::Tokenizer.new)
    long = "x" * 65
    known.of([long, "a", "b", "c"], &weigh)
    known.of([long, "a"], &weigh)
    expect(asked).to eq([long, "a", "b", "c", long, "a"])
  end
end
