# frozen_string_literal: true

RSpec.describe HybridSearch::Accelerated::FastTermWeight do
  # Records the terms whose part of speech it was asked for.
  asking = Class.new(HybridSearch::Tokenizer) do
    def terms = (@terms ||= [])

    def tag(term)
      terms << term
      super
    end

    def freeze = self
  end

  def weights(weigher, terms)
    weigher.weights(terms, preprocess: false)
  end

  it "weighs a term once, and as the plain form does" do
    tokenizer = asking.new
    fast = described_class.new(tokenizer:)
    plain = HybridSearch::TermWeight.new
    [%w[ab c ab], %w[c d]].each { |terms| expect(weights(fast, terms)).to eq(weights(plain, terms)) }
    expect(tokenizer.terms).to eq(%w[ab c d])
  end

  it "clears its cache when a word is added" do
    segmenter = HybridSearch::Segmenter.new
    tokenizer = HybridSearch::Tokenizer.new(segmenter:)
    weigher = described_class.new(tokenizer:)
    before = weights(weigher, %w[网易杭研大厦 的])
    expect(weights(weigher, %w[网易杭研大厦 的])).to eq(before)
    segmenter.add_word("网易杭研大厦", frequency: 100_000, tag: "ns")
    after = weights(weigher, %w[网易杭研大厦 的])
    expect(after).not_to eq(before)
    expect(after).to eq(weights(HybridSearch::TermWeight.new(tokenizer:), %w[网易杭研大厦 的]))
  end

  it "caches no weights of tokenizers without a version" do
    tokenizer = Class.new(asking) { undef_method :version }.new
    weigher = described_class.new(tokenizer:)
    weights(weigher, %w[ab ab])
    weights(weigher, %w[ab])
    expect(tokenizer.terms).to eq(%w[ab ab ab])
  end

  it "caches neither long terms nor an unlimited number" do
    stub_const("#{described_class}::MOST_KNOWN", 3)
    tokenizer = asking.new
    weigher = described_class.new(tokenizer:)
    long = "x" * 65
    weights(weigher, [long, "a", "b", "c"])
    weights(weigher, [long, "a"])
    expect(tokenizer.terms).to eq([long, "a", "b", "c", long, "a"])
  end
end
