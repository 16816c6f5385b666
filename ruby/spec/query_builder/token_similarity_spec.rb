# frozen_string_literal: true

require "spec_helper"
require_relative "../support/word_tokenizer"

RSpec.describe HybridSearch::QueryBuilders::TokenSimilarity do
  subject(:similarity) { described_class.new(HybridSearch::TermWeight.new(tokenizer: WordTokenizer.new)) }

  # The clause as stated: the document's keys, then two sums (QRY-9).
  def simple_similarity(keys, tokens)
    present = tokens + tokens.each_cons(2).map(&:join)
    score = total = 1e-9
    keys.each do |key, weight|
      score += weight if present.include?(key)
      total += weight
    end
    score / total
  end

  it "returns the similarity that the clause states" do
    source = Random.new(9)
    pieces = ["a", "b", "ab", "ba", "aab", "机", "器", "机器", "", "c" * 33, "c" * 40, "c" * 73]
    300.times do
      query = Array.new(source.rand(7)) { pieces.sample(random: source) }
      documents = Array.new(5) { Array.new(source.rand(10)) { pieces.sample(random: source) } }
      keys = similarity.query_keys(query)
      expected = documents.map { |tokens| simple_similarity(keys.keys, tokens) }
      expect(similarity.token_similarity(query, documents)).to eq(expected)
      expect(documents.map { |tokens| keys.similarity(tokens) }).to eq(expected)
    end
  end

  it "is 1 without query tokens" do
    expect(similarity.token_similarity([], [["a"], []])).to eq([1.0, 1.0])
  end

  it "refuses documents of another kind" do
    expect { similarity.token_similarity(["a"], ["a"]) }
      .to raise_error(HybridSearch::InvalidInputError, "docs_tokens[0] must be a list of texts, not \"a\"")
    expect { similarity.token_similarity(["a"], [["a", nil]]) }
      .to raise_error(HybridSearch::InvalidInputError, "docs_tokens[0] must be a list of texts")
  end
end
