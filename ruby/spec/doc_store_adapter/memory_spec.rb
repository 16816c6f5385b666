# frozen_string_literal: true

require "spec_helper"

# The rules of DOC-3 in their plainest form: every document is looked at, every sum is written out.
class SimpleSearch
  def initialize(documents, variant)
    @documents = documents
    @bm25 = HybridSearch::Bm25.of(variant)
  end

  def text_leg(expr, filters)
    query = HybridSearch::QueryClauses.new(expr.tree, expr.extra_options["minimum_should_match"])
    found = @documents.filter_map { |document| total(document, expr, query) if passes?(document, filters) }
    HybridSearch::Ordering.rank(found).take(expr.topn)
  end

  def dense_leg(expr, filters)
    found = @documents.filter_map do |document|
      next unless document.key?(expr.field) && passes?(document, filters)

      [document["id"], HybridSearch::Numeric.cosine(expr.vector, document[expr.field])]
    end
    lowest = expr.extra_options["similarity"]
    HybridSearch::Ordering.rank(found.select { |_, score| score >= lowest }).take(expr.topn)
  end

  private

  def passes?(document, filters)
    HybridSearch::Filters.new(filters).accepts?(document["id"], document, document.keys)
  end

  def total(document, expr, query)
    matched = []
    sum = 0.0
    query.clauses.each_with_index do |clause, place|
      best = expr.fields.filter_map { |field, boost| boosted(document, field, boost, clause) }.max
      next unless best

      matched << place
      sum += clause.boost * best
    end
    alternatives = query.alternatives.count { |alternative| (alternative & matched).any? }
    [document["id"], sum] if matched.any? && alternatives >= query.required
  end

  def boosted(document, field, boost, clause)
    tokens = HybridSearch::StoredDocument.keyword_field?(field) ? [clause.tokens.join(" ")] : clause.tokens
    frequency = frequency(tokens_of(document, field) || [], tokens, clause.slop)
    boost * score(document, field, tokens, frequency) if frequency.positive?
  end

  def tokens_of(document, field)
    document.key?(field) ? HybridSearch::StoredDocument.tokens(field, document[field]) : nil
  end

  def frequency(stored, tokens, slop)
    positions = tokens.map { |token| stored.each_index.select { |place| stored[place] == token } }
    return 0 if positions.any?(&:empty?)
    return positions[0].size if tokens.size == 1
    return HybridSearch::PhraseMatcher.exact_frequency(positions) if slop.zero?

    HybridSearch::PhraseMatcher.sloppy_frequency(positions, slop, tokens.uniq.size < tokens.size)
  end

  def score(document, field, tokens, frequency)
    every = @documents.filter_map { |other| tokens_of(other, field) }
    holding = every.flat_map(&:uniq).tally
    idf = HybridSearch::Numeric.sum_left(tokens.map { |token| idf(every.size, holding, token) })
    @bm25.score(idf, frequency, tokens_of(document, field).size, every.sum(&:size).to_f / every.size)
  end

  def idf(documents, holding, token)
    raw = @bm25.raw_idf(documents, holding[token])
    return raw if raw >= 0 || @bm25.variant == "lucene"

    @bm25.epsilon * @bm25.average_idf(documents, holding.values.tally)
  end
end

RSpec.describe HybridSearch::MemoryDocStore do
  words = %w[a b c d e f]
  tree = HybridSearch::Tree

  random_tree = lambda do |random, depth|
    kind = random.rand(depth < 3 ? 5 : 2)
    case kind
    when 0 then tree::Term.new([*words, "a b", ""].sample(random:))
    when 1 then tree::Phrase.new(Array.new(random.rand(4)) { words.sample(random:) }, slop: random.rand(5))
    when 2 then tree::AnyOf.new(Array.new(random.rand(4)) { random_tree.call(random, depth + 1) })
    when 3 then tree::Boost.new(random_tree.call(random, depth + 1), [0.0, 0.1, 0.7, 2.5].sample(random:))
    else tree::Group.new(random_tree.call(random, depth + 1))
    end
  end

  text = ->(random) { Array.new(random.rand(10)) { words.sample(random:) }.join(" ") }

  document = lambda do |random, place|
    {
      "id" => "d#{place}", "title_tks" => text.call(random), "content_ltks" => text.call(random),
      "important_kwd" => Array.new(random.rand(3)) { ["a", "b", "a b"].sample(random:) },
      "kb_id" => %w[k1 k2].sample(random:), "q_2_vec" => [0.1, 1.0, -3.0].sample(2, random:)
    }.select { |field, _| field == "id" || random.rand < 0.8 }
  end

  %w[okapi lucene].each do |variant|
    it "finds with its indexes what the rules say, under #{variant}" do
      random = Random.new(11)
      25.times do
        documents = Array.new(random.rand(10)) { |place| document.call(random, place) }
        store = described_class.new(bm25: variant)
        store.insert([{ "id" => "gone", "content_ltks" => "a b c", "q_2_vec" => [1.0, 1.0] }])
        store.insert(documents.shuffle(random:))
        store.delete(["gone"])
        simple = SimpleSearch.new(documents, variant)
        filters = [nil, { "kb_id" => "k1" }, { "id" => %w[d0 d2] }].sample(random:)
        minimum = [nil, 1, 2, 0.5, 1.0].sample(random:)
        fields = [["title_tks", 10.0], ["important_kwd", 3.0], ["content_ltks", 1.0]].last(1 + random.rand(3))
        expr = HybridSearch::MatchTextExpr.new(fields:, tree: random_tree.call(random, 0), topn: random.rand(6),
                                               extra_options: { "minimum_should_match" => minimum })
        dense = HybridSearch::MatchDenseExpr.new(field: "q_2_vec", vector: [0.1, 0.7], topn: random.rand(6),
                                                 extra_options: { "similarity" => -0.5 })
        expect(store.text_leg(expr, filters)).to eq(simple.text_leg(expr, filters))
        expect(store.dense_leg(dense, filters)).to eq(simple.dense_leg(dense, filters))
      end
    end
  end

  it "finds the head of the ranking whatever is asked for" do
    random = Random.new(3)
    store = described_class.new
    store.insert(Array.new(200) do |place|
      tokens = Array.new(1 + random.rand(20)) { "w#{random.rand(random.rand(1..30))}" }
      { "id" => place.to_s, "content_ltks" => tokens.join(" ") }
    end)
    terms = %w[w0 w5 w29 w1].map { |word| tree::Term.new(word) }
    whole = HybridSearch::MatchTextExpr.new(fields: [["content_ltks", 2.0]], tree: tree::AnyOf.new(terms), topn: 200)
    ranking = store.text_leg(whole)
    [1, 7, 10, 50].each { |topn| expect(store.text_leg(whole.with_topn(topn))).to eq(ranking.take(topn)) }
  end

  it "makes room when most documents are gone" do
    store = described_class.new
    size = HybridSearch::MemorySnapshot::FEWEST_DEAD_SLOTS + 10
    store.insert(Array.new(size) { |place| { "id" => place.to_s, "content_ltks" => "x", "kb_id" => "k" } })
    expect(store.rank([], { "kb_id" => "k" }).size).to eq(size)
    store.delete((5...size).map(&:to_s))
    table = store.instance_variable_get(:@snapshot).instance_variable_get(:@table)
    expect(table.living.limit).to eq(5)
    expect(store.rank([], { "kb_id" => "k" }).map(&:first)).to eq(%w[0 1 2 3 4])
    expr = HybridSearch::MatchTextExpr.new(fields: [["content_ltks", 1.0]], tree: tree::Term.new("x"))
    expect(store.text_leg(expr).map(&:first)).to eq(%w[0 1 2 3 4])
  end
end
