# frozen_string_literal: true

require "spec_helper"

# The results omitted for a limit, compared with the same search without one, which omits no document.
RSpec.describe HybridSearch::Accelerated::QueryEvaluator do
  words = Array.new(60) { |place| "w#{place}" }
  fields = [
    [["body_ltks", 1.0]],
    [["body_ltks", 2.0], ["title_tks", 10.0], ["tag_kwd", 30.0]],
    [["title_tks", 1.0], ["body_ltks", 0.0]],
    [["body_ltks", 1e200]]
  ]

  # Frequent words are first in the list.
  def some_words(random, words, count)
    Array.new(count) { words[(words.size * (random.rand**3)).floor] }
  end

  def documents(random, words, batch, count)
    Array.new(count) do |place|
      body = some_words(random, words, 1 + random.rand(25))
      document = { "id" => "#{batch}-#{random.rand}", "body_ltks" => body.join(" "), "kb_id" => "k#{place % 7}" }
      # The indexes of these fields end before the last slots.
      batch < 2 ? document.merge("title_tks" => body.take(4).join(" "), "tag_kwd" => body.take(2)) : document
    end
  end

  def tree(random, words, count)
    nodes = words.sample(count, random:).map do |word|
      phrase = HybridSearch::AdapterKit::Tree::Phrase.new([word, "w0"], slop: [0, 3].sample(random:))
      node = random.rand(5).zero? ? phrase : HybridSearch::AdapterKit::Tree::Term.new(word)
      boost = [0.0, 1e-17, 0.3, 7.0].sample(random:)
      random.rand(3).zero? ? HybridSearch::AdapterKit::Tree::Boost.new(node, boost) : node
    end
    HybridSearch::AdapterKit::Tree::AnyOf.new(nodes)
  end

  def expect_the_head(store, query, filters)
    everybody = store.text_leg(query, filters)
    [1, 3, 10, 64].each { |limit| expect(store.text_leg(query.with_topn(limit), filters)).to eq(everybody.take(limit)) }
  end

  %w[okapi lucene].product([300, 4]).each do |variant, rounds|
    checked = rounds == 4 ? {} : { unchecked: "many random queries" }
    it "omits only results after the limit, #{variant}, #{rounds} queries", **checked do
      random = Random.new(rounds)
      store = HybridSearch::MemoryDocStore.new(bm25: variant)
      3.times do |batch|
        some = documents(random, words, batch, rounds == 4 ? 30 : 150)
        store.insert(some)
        store.delete(some.each_slice(9).map { |slice| slice[0]["id"] })
      end
      rounds.times do
        options = [{}, {}, { "minimum_should_match" => 0.3 }].sample(random:)
        query = HybridSearch::AdapterKit::MatchTextExpr.new(
          fields: fields.sample(random:), tree: tree(random, words, [1, 3, 12, 40].sample(random:)),
          topn: 10_000, extra_options: options
        )
        expect_the_head(store, query, [nil, nil, { "kb_id" => %w[k1 k2] }].sample(random:))
      end
    end
  end
end
