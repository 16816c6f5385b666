# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of BM25F queries for every document store (DOC-5, DOC-8, DOC-9). A store with
      # `supports_bm25f?` must support them; other stores may refuse them.
      class Bm25fContract < LimitsContract
        FIELDS = [["title_tks", 3.0], ["content_ltks", 1.0], ["important_kwd", 0.5]].freeze
        BAGS = [%w[power], %w[solar and power], %w[wind water wind], ["solar power", "nowhere"], []].freeze
        private_constant :FIELDS, :BAGS

        # Tokens in one field, in several, in none, repeated, and in every document. Filters do not change scores.
        def test_bags_of_tokens
          store, reference = both(documents_of_fields)
          exprs = BAGS.map { |tokens| bag(tokens) } + [bag(BAGS[1], fields: FIELDS[1, 1]), bag(BAGS[1], topn: 1)]
          return all_refused(store, exprs) unless answers?(store, exprs.first)

          same_answers("bags of tokens", store, reference, exprs)
          same_answers("bags of tokens, filtered", store, reference, exprs, { "kb_id" => "k2" })
        end

        private

        def documents_of_fields
          both = { "title_tks" => "solar power", "content_ltks" => "solar panels give power and power" }
          wind = { "title_tks" => "wind", "content_ltks" => "#{"wind and water " * 40}power", "kb_id" => "k2" }
          [{ "id" => "b1", **both }, { "id" => "b2", **wind },
           { "id" => "b3", "title_tks" => "", "content_ltks" => "and solar",
             "important_kwd" => ["solar", "solar power"] },
           { "id" => "b4", "content_ltks" => "and nothing", "kb_id" => "k2" }, { "id" => "b5", **both }]
        end

        def bag(tokens, fields: FIELDS, topn: 100)
          AdapterKit::MatchBm25fExpr.new(fields:, tokens:, topn:)
        end

        # Return whether a store supports BM25F queries; fail if it refuses them although it guarantees them.
        def answers?(store, expr)
          store.rank([expr])
          true
        rescue InvalidInputError => e
          return false unless store.supports_bm25f?

          raise DocStoreError, "#{BROKEN} it promises supports_bm25f, and refuses a MatchBm25fExpr: #{e.message}"
        end

        def all_refused(store, exprs)
          exprs.each { |expr| refused(InvalidInputError) { store.rank([expr]) } }
        end
      end
    end
  end
end
