# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::MemoryDocStore do
  words = %w[a b c d e f]
  tree = HybridSearch::AdapterKit::Tree

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

  # The result of a call, or its error.
  told = lambda do |store, method, *arguments, **options|
    found = store.public_send(method, *arguments, **options)
    found.respond_to?(:ids) ? found.with(prepared: {}, dense_scores: nil) : found
  rescue HybridSearch::Error => e
    [e.class, e.message]
  end

  exprs = lambda do |random|
    minimum = [nil, 1, 2, 0.5, 1.0].sample(random:)
    fields = [["title_tks", 10.0], ["important_kwd", 3.0], ["content_ltks", 1.0]].last(1 + random.rand(3))
    match_text = HybridSearch::AdapterKit::MatchTextExpr.new(
      fields:, tree: random_tree.call(random, 0), topn: random.rand(6),
      extra_options: { "minimum_should_match" => minimum }
    )
    match_dense = HybridSearch::AdapterKit::MatchDenseExpr.new(
      field: "q_2_vec", vector: [0.1, 0.7], topn: random.rand(6), extra_options: { "similarity" => -0.5 }
    )
    [match_text, match_dense, HybridSearch::AdapterKit::FusionExpr.new("weighted_sum", 5, {})]
  end

  # The same steps for any store: batches, rankings with and without filters, and a whole search.
  steps = lambda do |random|
    documents = Array.new(random.rand(10)) { |place| document.call(random, place) }
    later = document.call(random, 20)
    filters = [nil, { "kb_id" => "k1" }, { "id" => %w[d0 d2] }, { "must_not" => { "exists" => "title_tks" } }]
              .sample(random:)
    match_text, match_dense, fusion = exprs.call(random)
    titled = documents.last(1).map { |one| one.merge("title_tks" => "a") }
    [[:insert, [{ "id" => "gone", "content_ltks" => "a b c", "q_2_vec" => [1.0, 1.0] }]], [:insert, documents],
     [:delete, ["gone", "d#{random.rand(9)}"]], [:update, titled], [:insert, [later]],
     [:upsert, [document.call(random, 1), document.call(random, 21)]],
     *[[], [match_text], [match_dense], [match_text, match_dense, fusion]].map { |match| [:rank, match, filters] },
     [:search, { select_fields: %w[id title_tks q_2_vec q_2_vec], filters:,
                 match_exprs: [match_text, match_dense, fusion], order_by: [%w[kb_id desc]], limit: 4, offset: 1,
                 agg_fields: ["kb_id"], highlight_fields: ["content_ltks"], keywords: %w[a b] }],
     [:search, { match_exprs: [match_dense] }], [:get, "d1"], [:health]]
  end

  deferred = { unchecked: "many random steps", nightly: "with every call checked" }
  %w[okapi lucene].product([[2, {}], [12, deferred]]).each do |bm25, (rounds, tag)|
    it "returns the same results with both kernels, under #{bm25}, #{rounds} times", **tag do
      random = Random.new(11)
      rounds.times do
        asked = steps.call(random)
        plain, fast = HybridSearch::Base::Kernels::INCLUDED.map do |kernels|
          store = described_class.new(bm25:, kernels:)
          asked.map do |method, *arguments|
            options = arguments[-1].is_a?(Hash) && method == :search ? arguments.pop : {}
            told.call(store, method, *arguments, **options)
          end
        end
        expect(fast).to eq(plain)
      end
    end
  end

  it "finds the same head of the ranking for every limit" do
    random = Random.new(3)
    documents = Array.new(200) do |place|
      tokens = Array.new(1 + random.rand(20)) { "w#{random.rand(random.rand(1..30))}" }
      { "id" => place.to_s, "content_ltks" => tokens.join(" ") }
    end
    plain, fast = HybridSearch::Base::Kernels::INCLUDED.map do |kernels|
      described_class.new(kernels:).tap { |store| store.insert(documents) }
    end
    terms = %w[w0 w5 w29 w1].map { |word| tree::Term.new(word) }
    whole = HybridSearch::AdapterKit::MatchTextExpr.new(
      fields: [["content_ltks", 2.0]], tree: tree::AnyOf.new(terms), topn: 200
    )
    ranking = plain.text_leg(whole)
    [1, 7, 10, 50, 200].each { |topn| expect(fast.text_leg(whole.with_topn(topn))).to eq(ranking.take(topn)) }
  end

  it "frees memory when most documents are removed", **deferred, unchecked: "a thousand documents" do
    store = described_class.new(kernels: "fast")
    size = HybridSearch::Accelerated::FastDocumentIndex::FEWEST_DEAD_SLOTS + 10
    store.insert(Array.new(size) { |place| { "id" => place.to_s, "content_ltks" => "x", "kb_id" => "k" } })
    expect(store.rank([], { "kb_id" => "k" }).size).to eq(size)
    store.delete((5...size).map(&:to_s))
    table = %i[@snapshot @documents @table].inject(store) { |part, name| part.instance_variable_get(name) }
    expect(table.living.limit).to eq(5)
    expect(store.rank([], { "kb_id" => "k" }).map(&:first)).to eq(%w[0 1 2 3 4])
    expr = HybridSearch::AdapterKit::MatchTextExpr.new(fields: [["content_ltks", 1.0]], tree: tree::Term.new("x"))
    expect(store.text_leg(expr).map(&:first)).to eq(%w[0 1 2 3 4])
  end
end
