# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::QueryBuilders::QuestionWords do
  it "removes the first of two adjacent question words in one pass" do
    expect(described_class.remove_question_words("what is the price of the")).to eq(" the price the")
  end

  it "ignores the case of ASCII letters only" do
    expect(described_class.remove_question_words("WHO ſo ")).to eq(" ſo ")
  end

  it "does not change a text of only question words" do
    expect(described_class.remove_question_words("是怎么办是")).to eq("是怎么办是")
    expect(described_class.remove_question_words("the ")).to eq(" ")
  end

  it "detects the language of a question" do
    expect(described_class.chinese?("one two three")).to be(true)
    expect(described_class.chinese?(" a b c")).to be(false)
    expect(described_class.chinese?("1 2 3 4 5 6 7 a b c")).to be(true)
  end
end
