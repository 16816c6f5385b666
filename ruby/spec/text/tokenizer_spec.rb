# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Tokenizer do
  segmenter = nil
  tokenizer = nil
  before(:context) do
    segmenter = HybridSearch::Segmenter.new
    tokenizer = described_class.new(segmenter:)
  end

  it "keeps runs of letters outside ASCII whole" do
    expect(tokenizer.tokenize("Café cafe\u0301 naïve2 привет running"))
      .to eq(%W[café cafe\u0301 naïve2 привет run])
    expect(tokenizer.tokenize("数据café库")).to eq(%w[数据 café 库])
  end

  it "stems only if stemming is on" do
    expect(described_class.new(segmenter:, stemming: false).tokenize("Running foxes")).to eq(%w[running foxes])
  end

  it "returns fine-grained parts" do
    expect(tokenizer.fine_grained("中华人民共和国")).to eq(%w[中华 人民共和国])
    expect(tokenizer.fine_grained("2019年")).to eq(%w[2019年])
    expect(tokenizer.fine_grained("and/or  北京大学 /")).to eq(%w[and or 北京 大学 /])
    expect(tokenizer.fine_grained("")).to eq([])
  end

  it "knows frequencies and parts of speech" do
    expect(tokenizer.frequency("中国")).to be_positive
    expect(tokenizer.tag("中国")).to eq("ns")
    expect([tokenizer.frequency("zzzz"), tokenizer.tag("zzzz")]).to eq([0, ""])
  end

  it "returns tokens that contain a letter or a number and occur in the text" do
    alphabet = "ab zé\u0301Жß1٣.-/ 中华人民共和国的繁體カ한ก😀_\0".chars
    source = Random.new(5)
    letter, number = %w[LETTER NUMBER].map { |name| HybridSearch::Base::Characters.character_class(name) }
    plain = described_class.new(segmenter:, stemming: false)
    200.times do
      text = Array.new(source.rand(30)) { alphabet.sample(random: source) }.join
      tokens = plain.tokenize(text)
      expect(tokens).to all(satisfy { |token| plain.normalize(text).include?(token) })
      expect(tokens).to all(satisfy { |token| token.each_char.any? { |c| letter.include?(c) || number.include?(c) } })
    end
  end

  it "uses a segmenter with user words" do
    own = HybridSearch::Segmenter.new
    own.add_word("区块链技术学")
    expect(described_class.new(segmenter: own).tokenize("区块链技术学")).to eq(%w[区块链技术学])
    expect(described_class.new(segmenter: own).frequency("区块链技术学")).to be_positive
  end

  %i[tokenize fine_grained frequency tag normalize].each do |method|
    it "refuses a value that is not text: #{method}" do
      [nil, 5, ["a"], "\xFF", "\xED\xA0\x80"].each do |value|
        expect { tokenizer.public_send(method, value) }.to raise_error(HybridSearch::InvalidInputError)
      end
    end
  end

  it "checks its options" do
    expect { described_class.new(stem: true) }
      .to raise_error(HybridSearch::InvalidInputError, 'unknown option "stem". Known: segmenter, stemming')
    expect { described_class.new(stemming: 1) }
      .to raise_error(HybridSearch::InvalidInputError, "stemming must be true or false, not 1")
    expect { described_class.new(segmenter: Object.new) }
      .to raise_error(HybridSearch::InvalidInputError, "segmenter must be a Segmenter, not a value of the type Object")
  end
end
