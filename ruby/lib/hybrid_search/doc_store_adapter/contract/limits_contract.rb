# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of counts and sizes beyond the limits of common engines (DOC-5): a store has no limit on frequencies,
      # positions, clauses and listed documents.
      class LimitsContract < ValuesContract
        # A frequency that does not fit into a byte.
        FREQUENCY = 300
        # A position beyond those that some engines store.
        PLACES = 16_400
        # A number of clauses beyond the limit of some engines.
        CLAUSES = 1_100
        # A number of documents beyond those that some engines list.
        LISTED = 10_001
        private_constant :FREQUENCY, :PLACES, :CLAUSES, :LISTED

        # A token that occurs 300 times, a phrase after 16,400 other tokens, and a phrase that occurs many times.
        def test_frequencies_and_places_have_no_limit
          documents = { "often" => "sun " * FREQUENCY, "less often" => "#{"sun " * (FREQUENCY - 50)}#{"moon " * 50}",
                        "late" => "#{"and " * PLACES}sun over moon", "twice" => "sun moon " * FREQUENCY,
                        "apart" => "moon #{"and " * PLACES}sun", "empty" => "" }
          9.times { |place| documents["other #{place}"] = "other #{place}" }
          phrases = [phrase(%w[over moon]), *[0, 1, 3].map { |slop| phrase(%w[sun moon], slop) }]
          trees = [term("sun"), term("and"), *phrases, any_of(term("moon"), phrase(%w[over moon]))]
          store, reference = both(documents.map { |identifier, words| { "id" => identifier, "content_ltks" => words } })
          same_answers("frequencies and places", store, reference, trees.map { |tree| text(tree) })
        end

        # Terms of most documents score as the formula states, with and without filters.
        def test_terms_that_most_documents_hold
          documents = Array.new(9) do |place|
            words = ("common " * ((place % 3) + 1)) + ("rare#{place % 4} half" * (place % 2))
            { "id" => place.to_s, "content_ltks" => words }
          end
          store, reference = both(documents)
          trees = [term("common"), any_of(term("common"), term("rare1")), any_of(term("rare3"), term("half"))]
          exprs = trees.map { |tree| text(tree) }
          same_answers("common terms", store, reference, exprs)
          same_answers("common terms, filtered", store, reference, exprs, { "id" => { "lt" => "5" } })
        end

        # A query of more than a thousand clauses searches for each of them.
        def test_queries_of_many_clauses
          documents = Array.new(40) do |place|
            words = (place...CLAUSES).step(50 - place).map { |number| "w#{number}" }
            { "id" => format("%02d", place), "content_ltks" => words.join(" ") }
          end
          store, reference = both(documents)
          tree = any_of(*(0...CLAUSES).map { |number| term("w#{number}") })
          exprs = [text(tree), text(tree, minimum: 30), text(tree, minimum: 0.05)]
          same_answers("many clauses", store, reference, exprs)
        end

        # More than ten thousand documents are listed, found and counted, from any offset.
        def test_listing_has_no_end
          documents = Array.new(LISTED) do |place|
            { "id" => format("%05d", place), "content_ltks" => "x", "page_num_int" => -place, "kb_id" => "k",
              "q_2_vec" => [1.0, 1.0] }
          end
          store, reference = both(documents)
          last = documents.last(2).map { |document| document["id"] }
          lists_to_the_end(store, last)
          same_answers("all", store, reference, [text(term("x"), topn: LISTED)])
          same("removed", store.delete(last), last.size)
          same("count", store.count, LISTED - last.size)
        end

        private

        def lists_to_the_end(store, last)
          [[], [text(term("x"), topn: LISTED)], [dense(0.0, topn: LISTED)]].each do |exprs|
            found = store.search(select_fields: ["id"], match_exprs: exprs, offset: LISTED - 2, limit: 10,
                                 agg_fields: ["kb_id"])
            next unless exprs.empty? || (store.exact_dense? && store.exact_text?)

            exactly("the last ids", found.ids, last)
            same("total", found.total, LISTED)
            same("counts", found.aggs["kb_id"], [["k", LISTED]])
          end
          ordered = store.search(select_fields: ["id"], order_by: [%w[page_num_int asc]], offset: LISTED - 1, limit: 5)
          exactly("the last by a field", ordered.ids, ["00000"])
        end
      end
    end
  end
end
