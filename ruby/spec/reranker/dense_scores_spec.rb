# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Stores::DenseScores do
  dimension = 6
  field = "q_#{dimension}_vec"
  reranker = HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new)

  find = lambda do |draw, topn|
    store = HybridSearch::MemoryDocStore.new
    60.times do |number|
      fields = { "id" => format("d%02d", number),
                 "content_ltks" => ["red wine", "red car", "wine"].sample(random: draw) }
      fields[field] = Array.new(dimension) { [0.0, draw.rand - 0.5].sample(random: draw) } if draw.rand < 0.9
      store.insert([fields])
    end
    kit = HybridSearch::AdapterKit
    text = kit::MatchTextExpr.new(fields: [["content_ltks", 1.0]], tree: kit::Tree::Term.new("red"), topn: 60)
    dense = kit::MatchDenseExpr.new(field:, vector: Array.new(dimension) { draw.rand - 0.5 }, topn:)
    store.search(match_exprs: [text, dense, kit::FusionExpr.new("rrf", 60)], limit: 60)
  end

  values = ->(outcome) { [outcome.similarity, outcome.vector_similarity, outcome.term_similarity] }

  it "changes no bit of an outcome" do
    5.times do |seed|
      result = find.call(Random.new(seed), 20)
      expect(result.dense_scores.cosines.size).to be_between(1, 20)
      plain = result.with(dense_scores: nil)
      expect(values.call(reranker.rerank_by_hybrid(result, "red wine")))
        .to eq(values.call(reranker.rerank_by_hybrid(plain, "red wine")))
    end
  end

  it "is used only for its vector and for selected vectors" do
    result = find.call(Random.new(1), 60)
    wrong = described_class.new(result.query_vector, result.ids.to_h { |name| [name, 9.0] })
    similarities = ->(given) { reranker.rerank_by_hybrid(given, "red").vector_similarity }
    expect(similarities.call(result.with(dense_scores: wrong)).uniq).to contain_exactly(9.0, 0.0)
    other = result.with(query_vector: [1.0] * dimension, dense_scores: wrong)
    expect(similarities.call(other)).to eq(similarities.call(other.with(dense_scores: nil)))
    unselected = result.with(fields: result.ids.to_h { |name| [name, {}] }, dense_scores: wrong)
    expect(similarities.call(unselected).uniq).to eq([0.0])
  end
end
