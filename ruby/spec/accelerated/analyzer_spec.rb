# frozen_string_literal: true

RSpec.describe HybridSearch::Accelerated::FastAnalyzer do
  pieces = ["Running", "cells", "cells.", "don't", "state-of-the-art", "i.e", "3.14", "1,000", "1,000.5%", "6-2-1",
            "C++", "c#", "a/b.py", "user@host:8080", "v2", "AT&T", "_x_", "50%", "--", "+", "T恤", "机器学习", "中国人民",
            "，", "。", "β", "TGF-β", "5′-UTR", "Ａ１", "ﾊﾝ", "é", "naïve", "İ", "ﬁ", "\u0301", "１２－３", "3–4", "漢字",
            "x", "e", "1", "\0", "\u3000", "\u2028"]
  gaps = ["", " ", "  ", "\n", "\t", "\r\n", "\u3000", "-", ".", "/", ",", "(", "\x1c", "\u0085"]

  def analyzed(analyzer, text)
    tokens = analyzer.tokens(text)
    [tokens, analyzer.fine_grained(tokens), analyzer.identifiers(text, tokens)]
  end

  def both(tokenizer, text)
    [described_class, HybridSearch::Text::Analyzer].map { |kind| analyzed(kind.new(tokenizer), text) }
  end

  let(:tokenizer) { HybridSearch::Tokenizer.new }

  it "analyzes texts as the plain form does", unchecked: "every word would be checked" do
    random = Random.new(7)
    fast = described_class.new(tokenizer)
    plain = HybridSearch::Text::Analyzer.new(tokenizer)
    2000.times do
      text = Array.new(random.rand(14)) { pieces.sample(random:) + gaps.sample(random:) }.join
      expect(analyzed(fast, text)).to eq(analyzed(plain, text)), text
    end
  end

  it "analyzes without stems as the plain form does" do
    fast, plain = both(HybridSearch::Tokenizer.new(stemming: false), pieces.join(" "))
    expect(fast).to eq(plain)
  end

  it "analyzes real documents as the plain form does", unchecked: "every word would be checked" do
    paths = Dir[File.expand_path("../../../docs/*.md", __dir__)]
    whole = paths.map { |path| File.read(path, encoding: "UTF-8") }.join("\n")
    fast, plain = both(tokenizer, whole)
    expect(fast).to eq(plain)
  end

  it "clears its cache when a word is added" do
    segmenter = HybridSearch::Segmenter.new
    tokenizer = HybridSearch::Tokenizer.new(segmenter:)
    fast = described_class.new(tokenizer)
    text = "hybridsearching engines 网易杭研大厦"
    before = analyzed(fast, text)
    segmenter.add_word("hybrid", frequency: 1_000_000)
    segmenter.add_word("网易杭研大厦", frequency: 1_000_000)
    expect(analyzed(fast, text)).not_to eq(before)
    expect(analyzed(fast, text)).to eq(analyzed(HybridSearch::Text::Analyzer.new(tokenizer), text))
  end

  it "caches a limited number of short words" do
    stub_const("HybridSearch::Accelerated::FastAnalyzer::CachedTokens::CACHE_SIZE", 3)
    results = described_class::CachedTokens.new { |word| [word] }
    long = "a" * (described_class::CachedTokens::CACHED_LENGTH + 1)
    words = ["one", "two", "three", "four", long, long.chop]
    expect(words.map { |word| results[word] }).to eq(words.map { |word| [word] })
    expect(results.instance_variable_get(:@made).keys).to eq(["four", long.chop])
  end

  it "passes whole texts to custom tokenizers" do
    reading = Class.new(HybridSearch::Segmenter) { def cut(text, **) = [text] }
    upper = Class.new(HybridSearch::Tokenizer) { def tokenize(text) = [text.upcase] }
    expect(described_class.new(HybridSearch::Tokenizer.new(segmenter: reading.new)).tokens("ab cd")).to eq(["ab cd"])
    expect(described_class.new(upper.new).tokens("ab cd")).to eq(["AB CD"])
  end

  [nil, 3, "\xff", "a \xff"].each do |text|
    it "refuses #{text.inspect} as the plain form does", unchecked: "not a text" do
      messages = [described_class, HybridSearch::Text::Analyzer].map do |kind|
        kind.new(tokenizer).tokens(text)
      rescue HybridSearch::InvalidInputError => e
        e.message
      end
      expect(messages).to match([a_string_including("text"), messages[0]])
    end
  end

  it "needs time in proportion to the length of a text without blanks", unchecked: "every word would be checked" do
    ["ab" * 50_000, "a-" * 50_000, "β" * 50_000, "a1.β" * 20_000].each do |text|
      fast, plain = both(tokenizer, text)
      expect(fast == plain).to be(true)
    end
  end

  it "caches nothing for plain forms" do
    known = %w[plain fast].map do |kernels|
      fast = described_class.new(HybridSearch::Tokenizer.new(segmenter: HybridSearch::Segmenter.new(kernels:)))
      fast.tokens("cells and genes")
      fast.instance_variable_get(:@known).nil?
    end
    expect(known).to eq([true, false])
  end
end
