# frozen_string_literal: true

require "spec_helper"
require_relative "../support/word_tokenizer"

RSpec.describe HybridSearch::QueryBuilder do
  subject(:builder) { described_class.new(tokenizer: WordTokenizer.new) }

  let(:synonyms) { HybridSearch::Synonyms.new(dictionary: { "手机" => ["移动_电话"] }) }

  def lucene(expression)
    HybridSearch::AdapterKit::Render.lucene(expression.tree)
  end

  it "puts blanks between scripts" do
    expect(builder.prepare("iPhone15多少 100元")).to eq("iphone15 多少 100元")
  end

  it "builds the query of an English question" do
    expression, keywords = builder.build_text_query("how does deep learning work in clouds")
    expect(keywords).to eq(%w[deep learning work clouds])
    expect(lucene(expression)).to eq(
      "(deep^0.2411 ) (learning^0.2649 ) (work^0.2411 ) (clouds^0.2530 ) " \
      '"deep learning"^0.5297 "learning work"^0.5297 "work clouds"^0.5060'
    )
    expect(expression.extra_options.keys).to eq(["original_query"])
  end

  it "builds the query of a Chinese question" do
    expression, keywords = described_class.new(tokenizer: WordTokenizer.new, synonyms:).build_text_query("手机")
    expect(lucene(expression)).to eq('((((手机 OR ("移动 电话")^0.2))^1.0)^5 OR ("移动_电话")^0.7)')
    expect(keywords).to eq(%w[手机 移动_电话 手机 移动_电话])
    expect(expression.extra_options["minimum_should_match"]).to eq(0.3)
  end

  it "returns only the keywords of the query" do
    builder = described_class.new(tokenizer: WordTokenizer.new, synonyms:)
    ["手机", "手机 设计 " * 40, "how does deep learning work in clouds", " ?! ", "the what is the 手机"].each do |question|
      expect(builder.keywords(question)).to eq(builder.build_text_query(question)[1])
    end
  end

  it "builds no query from punctuation alone" do
    expect(builder.build_text_query(" ?! \0")).to eq([nil, []])
  end

  it "falls back to the text itself" do
    expression, = builder.build_text_query("你 我")
    expect(expression.tree.children.map(&:text)).to eq(%w[你 我])
  end

  it "builds the query of a paragraph" do
    expression = builder.paragraph(["手机"], [' "a" b '], limit: 1)
    expect(lucene(expression)).to eq('"a b" 手机^1.0')
    expect(expression.extra_options["minimum_should_match"]).to eq(0)
  end

  it "accepts questions of at most 65,536 characters by default" do
    longest = "😀" * 65_536
    expect(builder.accept_question(longest)).to eq(longest)
    %i[keywords build_text_query prepare accept_question].each do |ask|
      expect { builder.public_send(ask, "#{longest}a") }.to raise_error(
        HybridSearch::InvalidInputError, "question must have at most 65536 characters, not 65537"
      )
    end
    unbounded = described_class.new(tokenizer: WordTokenizer.new, max_question_length: nil)
    expect(unbounded.accept_question("#{longest}a").length).to eq(65_537)
  end

  it "refuses invalid texts, shares and options" do
    expect { builder.build_text_query("\xFF") }.to raise_error(HybridSearch::InvalidInputError, /question/)
    expect { builder.build_text_query("a", min_match: 2) }.to raise_error(HybridSearch::InvalidInputError, /min_match/)
    expect { builder.build_text_query("a", match: 0.3) }.to raise_error(HybridSearch::InvalidInputError, /min_match/)
  end
end
