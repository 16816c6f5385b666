# frozen_string_literal: true

require "spec_helper"
require "tempfile"

RSpec.describe HybridSearch::KeywordExtractor do
  let(:extractor) { described_class.new }
  let(:query) { "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改" }

  it "finds exactly the keywords of the first example" do
    found = extractor.extract(query)
    expect(found.words).to contain_exactly("MisraC++", "2008", "Rule", "6-2-1", "规则", "修改")
    expect(found.parts).to contain_exactly("MisraC", "Misra", "C", "6", "2", "1")
    expect(found.terms).to eq(found.words + found.parts)
  end

  it "finds the keywords of the second example" do
    row = "规则编号 规则标题 规则描述 修改建议 6-2-1 Assignment operators should not be used in sub-expressions " \
          "赋值运算符不应在子表达式中使用 将赋值操作移到独立语句中"
    expect(extractor.extract(row, limit: 20).terms)
      .to include(*%w[6-2-1 Assignment operators sub expressions 赋值 运算符 表达式 使用 独立 语句 修改 建议])
  end

  it "finds the parts of a word with more changes of case than a call can have arguments" do
    few, many = [3, 200_000].map { |count| extractor.extract("aB" * count) }
    expect(many.words).to eq(["aB" * 200_000])
    expect(many.parts).to eq(few.parts)
  end

  it "returns the same first keywords with a limit" do
    whole = extractor.extract(query, limit: nil)
    (1..7).each do |count|
      cut = extractor.extract(query, limit: count)
      expect([cut.words, cut.weights]).to eq([whole.words.first(count), whole.weights.first(count)])
    end
  end

  it "keeps user words whole, even short words and stop words" do
    Tempfile.create("words") do |file|
      file.write("静态分析 3 n\nMISRA-C:2012\n这个\n")
      file.close
      made = described_class.new(user_dictionary: file.path)
      made.add_word("C")
      expect(made.extract("这个C和静态分析, MISRA-C:2012").words).to contain_exactly("这个", "C", "静态分析", "MISRA-C:2012")
    end
    expect(extractor.extract("这个C规则").words).to eq(%w[规则])
  end

  it "accepts other stop words" do
    expect(extractor.extract("salt and pepper").words).to eq(%w[salt pepper])
    expect(described_class.new(stop_words: ["SALT"]).extract("Salt and pepper").words).to eq(%w[and pepper])
  end

  it "refuses invalid arguments" do
    expect { extractor.extract("x", limit: -1) }
      .to raise_error(HybridSearch::InvalidInputError, "limit must be an integer of at least 0, not -1")
    expect { described_class.new(stopwords: []) }.to raise_error(HybridSearch::InvalidInputError, /unknown option/)
    expect { extractor.extract("6-\xff") }.to raise_error(HybridSearch::InvalidInputError, /not valid UTF-8/)
  end
end

RSpec.describe HybridSearch::Text::Identifiers do
  it "returns pieces that join to the text, and parts that are within their token" do
    source = Random.new(11)
    alphabet = "aB1é9C-_./&@+#:%, –的规则修改Ж\u0301👍\0\u3000Ａ".chars
    200.times do
      prepared = subject.prepare(Array.new(source.rand(20)) { alphabet.sample(random: source) }.join)
      pieces = subject.pieces(prepared)
      expect(pieces.map(&:first).join).to eq(prepared)
      pieces.each do |piece, _|
        parts = subject.parts(piece)
        expect(parts).to eq(parts.uniq - [piece])
        expect(parts).to all(satisfy { |part| piece.include?(part) })
      end
    end
  end
end

RSpec.describe HybridSearch::Text::IdfTable do
  it "returns the weights of known and unknown words, and the median" do
    table = described_class.shared
    expect([table.idf("劳动防护"), table.idf("卢巴"), table.idf("没有这个词")])
      .to eq([13.900677652, table.idf("卢巴"), table.median])
    expect(table.idf("好苦")).not_to eq(table.median)
    expect(table.median).to eq(11.9547675029)
  end

  it "refuses files that are missing, truncated or of another kind" do
    path = File.expand_path("../../data/idf.bin", __dir__)
    content = File.binread(path)
    { "cannot be read" => nil, "damaged" => content.byteslice(0, 1000), "cut short" => content.byteslice(0..-20),
      "or cut" => "x" * 100 }.each do |message, bytes|
      Tempfile.create("idf") do |file|
        file.binmode
        file.write(bytes.to_s)
        file.close
        File.delete(file.path) unless bytes
        expect { described_class.new(file.path) }.to raise_error(HybridSearch::ConfigurationError, /#{message}/)
        File.write(file.path, "") unless bytes
      end
    end
  end
end

RSpec.describe HybridSearch::Text::WholeWords do
  it "matches leftmost and longest" do
    ["a b", "a b c", "b c d"].each { |word| subject.add(word) }
    expect(subject.pieces("xa b c d")).to eq([["x", false], ["a b c", true], [" d", false]])
    subject.remove("a b c")
    expect(subject.pieces("xa b c d")).to eq([["x", false], ["a b", true], [" c d", false]])
  end
end
