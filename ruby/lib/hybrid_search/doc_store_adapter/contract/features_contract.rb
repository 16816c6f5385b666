# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of features that count in recall, for every document store (DOC-5, RNK-10).
      class FeaturesContract < Bm25fContract
        FEATURED = [
          { "id" => "f1", "content_ltks" => "solar power", "pagerank_fea" => 3.0, "q_2_vec" => [1.0, 0.0] },
          { "id" => "f2", "content_ltks" => "solar solar", "tag_feas" => { "v1.2" => 2, "good" => 500 },
            "q_2_vec" => [0.0, 1.0] },
          { "id" => "f3", "content_ltks" => "solar", "kb_id" => "k2" },
          { "id" => "f4", "content_ltks" => "solar and wind and water", "pagerank_fea" => 9.0,
            "tag_feas" => { "good" => -1 } },
          { "id" => "f5", "content_ltks" => "wind", "pagerank_fea" => 99.0, "q_2_vec" => [0.6, 0.8] },
          *Array.new(9) { |place| { "id" => "g#{place}", "content_ltks" => "other words" } }
        ].freeze
        # Weights of features, and the documents that they bring to the head of a text leg of two.
        WEIGHTS = [
          [{ "pagerank_fea" => 1000.0 }, %w[f4 f1]],
          [{ "good" => 1000.0, "pagerank_fea" => 10.0 }, %w[f2 f1]],
          [{ "v1.2" => 1000.0, "pagerank_fea" => 100.0 }, %w[f2 f4]],
          [{ "v1.2" => 1000.0, "nothing" => 1.0 }, %w[f2]]
        ].freeze
        private_constant :FEATURED, :WEIGHTS

        # The documents with the highest sums are in the text leg; one that does not match the text is not.
        def test_features_bring_documents_in
          store, reference = both(FEATURED)
          query = text(term("solar")).with_topn(2)
          WEIGHTS.each do |weights, expected|
            same("found with #{weights}", featured_ids(store, query, weights).first(expected.size), expected)
            same_features(store, reference, query, weights) if store.exact_text?
          end
          same("filtered", featured_ids(store, query, WEIGHTS[0][0], { "kb_id" => "k2" }), %w[f3])
        end

        private

        def same_features(store, reference, query, weights)
          fusion = AdapterKit::FusionExpr.new("weighted_sum", 3, { "weights" => "1,0.5" })
          vector = AdapterKit::MatchDenseExpr.new(field: "q_2_vec", vector: [0.8, 0.6], topn: 2)
          [[query], [query, vector, fusion]].each do |exprs|
            got, expected = [store, reference].map do |one|
              found = one.search(select_fields: ["id"], match_exprs: exprs, rank_feature: weights)
              [found.scores.to_a, found.features.sort]
            end
            exactly("#{exprs.size} expressions with #{weights}", got, expected)
          end
        end

        def featured_ids(store, query, weights, filters = nil)
          store.search(select_fields: ["id"], filters:, match_exprs: [query], rank_feature: weights).ids
        end
      end
    end
  end
end
