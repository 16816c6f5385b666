# frozen_string_literal: true

require "spec_helper"

# The keys of a question found in prepared documents and in tokens are those of the clause (RNK-1, QRY-9).
RSpec.describe HybridSearch::Accelerated::FastTermSimilarity do
  words = ["a", "b", "ab", "ba", "aba", "规", "规则", "则引", "引擎", "x", "", "𠀀", "aa", "a\u0301"]

  # A query builder with fixed keywords, each of the same weight.
  reader = Class.new do
    def initialize(keywords)
      @keywords = keywords
    end

    def build_text_query(_question)
      [nil, @keywords]
    end

    def token_similarity(query_tokens, docs_tokens)
      similarity.token_similarity(query_tokens, docs_tokens)
    end

    def similarity
      weights = Class.new do
        def weights(tokens, preprocess:)
          preprocess ? [] : tokens.map { |token| [token, 1.0 / tokens.size] }
        end
      end
      made = HybridSearch::QueryBuilders::TokenSimilarity.allocate
      made.instance_variable_set(:@term_weight, weights.new)
      made
    end
  end

  # The same, with a record of the keys that it searches for.
  faster_reader = Class.new(reader) do
    def query_keys(query_tokens)
      similarity.query_keys(query_tokens)
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
    HybridSearch::AdapterKit::SearchResult.new(total: fields.size, ids: fields.keys, fields:, query_vector:, prepared:)
  end

  it "returns the same outcome as fields that are read again" do
    8.times do |seed|
      draw = Random.new(seed)
      fields = documents.call(draw, 20, 5)
      vocabulary = HybridSearch::Accelerated::Vocabulary.new
      prepared = fields.select { draw.rand < 0.8 }
                       .transform_values do |given|
        HybridSearch::Accelerated::PreparedDocument.prepare(vocabulary, given,
                                                            given["q_5_vec"])
      end
      query_vector = Array.new(5) { draw.rand - 0.5 }
      keywords = Array.new(draw.rand(7)) { [*words, "规则" * 40, "a" * 70].sample(random: draw) }
      ways = [[reader, {}, "plain"], [faster_reader, prepared, "plain"], [reader, prepared, "fast"],
              [faster_reader, {}, "fast"], [faster_reader, prepared, "fast"]]
      plain, *fast = ways.map do |kind, made, kernels|
        reranker = HybridSearch::Reranker.new(kind.new(keywords), kernels:)
        outcome = reranker.rerank_by_hybrid(result(fields, query_vector, made), "q")
        [outcome.similarity, outcome.term_similarity, outcome.vector_similarity]
      end
      expect(fast).to eq([plain] * 4)
    end
  end

  it "finds tokens and adjacent tokens" do
    vocabulary = HybridSearch::Accelerated::Vocabulary.new
    vocabulary.numbers((0...70_000).map(&:to_s))
    keys = ["0", "1", "257", "65536", "69999", "0257", "65536257", "never met", "1" * 65]
    draw = Random.new(1)
    lists = Array.new(100) { Array.new(draw.rand(12)) { %w[0 1 256 257 65536 65537].sample(random: draw) } }
    stored = lists.map do |tokens|
      HybridSearch::Accelerated::PreparedDocument.prepare(vocabulary, { "important_kwd" => tokens }, nil)
    end
    prepared_keys = HybridSearch::Accelerated::PreparedKeys.new(keys, vocabulary)
    expect(prepared_keys).to be_usable
    lists.zip(prepared_keys.found(stored)) do |tokens, found|
      there = tokens | (tokens * 2).each_cons(2).map(&:join)
      expect(keys.each_index.map { |place| found[place] == 1 }).to eq(keys.map { |key| there.include?(key) })
    end
  end

  it "finds the keys that the clause requires with a table of keys" do
    draw = Random.new(9)
    pieces = ["a", "b", "ab", "ba", "aab", "机", "器", "机器", "", "c" * 33, "c" * 40, "c" * 73]
    drawn = ->(most) { Array.new(draw.rand(most)) { pieces.sample(random: draw) } }
    30.times do
      query_keys = faster_reader.new([]).query_keys(drawn.call(7))
      lists = Array.new(5) { drawn.call(10) }
      table = HybridSearch::Accelerated::KeyTable.new(query_keys.keys.map(&:first))
      found = HybridSearch::Accelerated::KeyTable.shares(query_keys, lists.map { |tokens| table.found(tokens) })
      expect(found).to eq(lists.map { |tokens| query_keys.similarity(tokens) })
    end
  end

  it "searches the fields for long keys that may be two tokens" do
    vocabulary = HybridSearch::Accelerated::Vocabulary.new
    vocabulary.numbers(["a" * 40])
    expect(HybridSearch::Accelerated::PreparedKeys.new(["a" * 80], vocabulary)).not_to be_usable
    expect(HybridSearch::Accelerated::PreparedKeys.new(["a" * 81], vocabulary)).to be_usable
  end

  describe "a query builder that overrides a method and removes its twin" do
    fields = { "a" => { "content_ltks" => "学习 机器" }, "b" => { "content_ltks" => "机器" } }

    def similarities(fields, builder)
      vocabulary = HybridSearch::Accelerated::Vocabulary.new
      prepared = fields.transform_values do |given|
        HybridSearch::Accelerated::PreparedDocument.prepare(vocabulary, given, nil)
      end
      [{}, prepared].map do |made|
        HybridSearch::Reranker.new(builder).rerank_by_hybrid(result(fields, nil, made), "机器").term_similarity
      end
    end

    it "is called by that method" do
      keywords = Class.new(HybridSearch::QueryBuilder) do
        def build_text_query(_question) = [nil, ["学习"]]
        undef_method :keywords
      end
      expect(similarities(fields, keywords.new).map(&:first)).to eq([1.0, 1.0])
      similarity = Class.new(HybridSearch::QueryBuilder) do
        def token_similarity(_query, documents) = documents.map { |tokens| tokens.size.to_f }
        undef_method :query_keys
      end
      expect(similarities(fields, similarity.new)).to eq([[2.0, 1.0], [2.0, 1.0]])
    end
  end

  it "accepts known keywords" do
    found = result({ "a" => { "content_ltks" => "学习" } }, nil, {})
    reranker = HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new)
    expect(reranker.rerank_by_hybrid(found, "机器", keywords: ["学习"]).term_similarity).to eq([1.0])
    expect { reranker.rerank_by_hybrid(found, "机器", keywords: "学习") }
      .to raise_error(HybridSearch::InvalidInputError, /keywords must be a list of texts/)
  end
end
