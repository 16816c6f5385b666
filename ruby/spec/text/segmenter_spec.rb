# frozen_string_literal: true

require "spec_helper"
require "tmpdir"
require_relative "simple_segmenter"

RSpec.describe HybridSearch::Segmenter do
  let(:segmenter) { described_class.new }

  it "cuts with the dictionary and guesses unknown words" do
    text = "他来到了网易杭研大厦"
    expect(segmenter.cut(text)).to eq(%w[他 来到 了 网易 杭研 大厦])
    expect(segmenter.cut(text, hmm: false)).to eq(%w[他 来到 了 网易 杭 研 大厦])
  end

  it "returns shorter words first for search" do
    expect(segmenter.cut_for_search("清华大学")).to eq(%w[清华 华大 大学 清华大学])
  end

  it "omits the whole token" do
    expect(segmenter.best_route_without_whole("中国科学院")).to eq(%w[中国 科学院])
    expect(segmenter.rejoin_latin(segmenter.best_route_without_whole("2019年"))).to eq(%w[2019 年])
  end

  it "does not share a user's words" do
    segmenter.add_word("网易杭研", tag: "nz")
    segmenter.add_word("大厦", frequency: 0)
    expect(segmenter.cut("网易杭研大厦")).to eq(%w[网易杭研 大 厦])
    expect([segmenter.frequency("网易杭研"), segmenter.tag("网易杭研")]).to eq([1, "nz"])
    expect(described_class.new.cut("网易杭研大厦")).to eq(%w[网易 杭研 大厦])
  end

  it "can share a dictionary with another segmenter" do
    segmenter.add_word("网易杭研")
    expect(described_class.new(segmenter.dictionary).cut("网易杭研")).to eq(%w[网易杭研])
    expect { described_class.new("words.txt") }
      .to raise_error(HybridSearch::InvalidInputError, 'dictionary must be a Dictionary, not "words.txt"')
  end

  it "adds all words of a file or no words" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "words.txt")
      File.binwrite(path, "网易杭研 5 nz\n杭研大厦 #{"9" * 20}\n")
      expect { segmenter.load_user_dict(path) }.to raise_error(HybridSearch::ConfigurationError, /line 2 of/)
      expect(segmenter.frequency("网易杭研")).to eq(0)
      File.binwrite(path, "\uFEFF网易杭研 5 nz\n")
      segmenter.load_user_dict(Pathname(path))
      expect(segmenter.tag("网易杭研")).to eq("nz")
    end
  end

  it "accepts texts in other encodings" do
    expect(segmenter.cut("中国人".encode("UTF-16LE"))).to eq(segmenter.cut("中国人"))
    expect(segmenter.cut("abc".encode("US-ASCII"))).to eq(["abc"])
  end

  it "can be shared between threads" do
    texts = Array.new(20) { |index| "第#{index}位研究生命起源的杭研博士来到了清华大学" }
    expected = texts.map { |text| described_class.new.cut(text) }
    found = Array.new(4) { Thread.new { texts.map { |text| segmenter.cut(text) } } }.map(&:value)
    expect(found).to eq([expected] * 4)
  end

  describe "compared with the plain algorithm" do
    let(:table) { HybridSearch::Text::DictionaryTable.shared }
    let(:letters) { (0x4E00..0x9FD5).to_a }
    let(:frequencies) do
      Hash.new { |_, word| table.entry(word.codepoints, 0, word.length) }.tap do |lookup|
        lookup.define_singleton_method(:key?) { |word| !self[word].nil? }
      end
    end
    let(:simple) { SimpleSegmenter.new(frequencies, table.total) }

    it "cuts blocks alike", unchecked: "every character of the fast path would be checked" do
      random = Random.new(7)
      common = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里"
      Array.new(300) do
        block = Array.new(random.rand(1..20)) do
          random.rand < 0.8 ? common[random.rand(common.length)] : [letters[random.rand(letters.size)]].pack("U")
        end.join
        expect(segmenter.cut(block)).to eq(simple.cut(block))
      end
    end

    it "labels runs alike", unchecked: "every step of the model would be checked" do
      random = Random.new(8)
      model = HybridSearch::Text::HiddenMarkovModel.new({})
      Array.new(300) do
        run = Array.new(random.rand(2..12)) { letters[random.rand(letters.size)] }.pack("U*")
        expect(model.cut(run)).to eq(simple.model_words(run))
      end
    end
  end
end
