# frozen_string_literal: true

require "spec_helper"

# The fast paths of the reranker against the plain ones.
RSpec.describe HybridSearch::PreparedDocument do
  words = ["a", "b", "ab", "ba", "aba", "规", "规则", "则引", "引擎", "x", "", "𠀀", "aa", "a\u0301"]

  # A question whose keywords are given, each of the same weight.
  reader = Class.new do
    def initialize(keywords)
      @keywords = keywords
    end

    def build_text_query(_question)
      [nil, @keywords]
    end

    def token_similarity(query_tokens, docs_tokens)
      weights = Class.new do
        def weights(tokens, preprocess:)
          preprocess ? [] : tokens.map { |token| [token, 1.0 / tokens.size] }
        end
      end
      HybridSearch::TokenSimilarity.allocate.tap { |made| made.instance_variable_set(:@term_weight, weights.new) }
                                   .token_similarity(query_tokens, docs_tokens)
    end
  end

  documents = lambda do |draw, count, dimension|
    tokens = ->(most) { Array.new(draw.rand(most)) { words.sample(random: draw) }.reject(&:empty?).join(" ") }
    Array.new(count) do |number|
      keywords = Array.new(draw.rand(3)) { words.sample(random: draw) }
      fields = { "content_ltks" => tokens.call(12), "title_tks" => tokens.call(4), "question_tks" => tokens.call(4),
                 "important_kwd" => [keywords, "a b", ""].sample(random: draw) }
      fields["q_#{dimension}_vec"] = Array.new(dimension) { [0.0, draw.rand - 0.5].sample(random: draw) } if
        draw.rand < 0.9
      ["d#{number}", fields]
    end.to_h
  end

  def result(fields, query_vector, prepared)
    HybridSearch::SearchResult.new(total: fields.size, ids: fields.keys, fields:, query_vector:, prepared:)
  end

  it "gives the same outcome as fields read anew" do
    20.times do |seed|
      draw = Random.new(seed)
      fields = documents.call(draw, 20, 5)
      vocabulary = HybridSearch::Vocabulary.new
      prepared = fields.select { draw.rand < 0.8 }
                       .transform_values { |given| described_class.prepare(vocabulary, given, given["q_5_vec"]) }
      query_vector = Array.new(5) { draw.rand - 0.5 }
      reranker = HybridSearch::Reranker.new(reader.new(Array.new(draw.rand(7)) { words.sample(random: draw) }))
      plain, fast = [{}, prepared].map { |made| reranker.rerank_by_hybrid(result(fields, query_vector, made), "q") }
      expect(fast.similarity).to eq(plain.similarity)
      expect(fast.term_similarity).to eq(plain.term_similarity)
      expect(fast.vector_similarity).to eq(plain.vector_similarity)
    end
  end

  it "finds whole tokens only" do
    vocabulary = HybridSearch::Vocabulary.new
    vocabulary.numbers((0...70_000).map(&:to_s))
    draw = Random.new(1)
    100.times do
      numbers = Array.new(draw.rand(12)) { %w[0 1 256 257 65536 65537].sample(random: draw) }
      prepared = described_class.prepare(vocabulary, { "important_kwd" => numbers }, nil)
      %w[0 1 256 65536 69999].each do |first|
        expect(prepared.holds?(vocabulary.token(first))).to eq(numbers.include?(first))
        pair = vocabulary.pairs("#{first}257").find { |pattern| pattern.packed[0, 4] == [first.to_i].pack("V") }
        expect(prepared.holds?(pair)).to eq((numbers * 2).each_cons(2).include?([first, "257"]))
      end
    end
    expect(vocabulary.token("never met")).to be_nil
  end
end
