# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # The tests that every document store must pass (DOC-5), for any test framework.
    #
    # With RSpec:
    #
    #   HybridSearch::DocStoreContract.names.each do |name|
    #     it(name) { HybridSearch::DocStoreContract.new { MyStore.new }.public_send(name) }
    #   end
    #
    # Without a framework, `HybridSearch::DocStoreContract.run { MyStore.new }` returns the names of the tests that
    # passed, or raises an error. Guarantees that a store denies are not tested (DOC-8).
    class DocStoreContract < Stores::Contract::SharingContract
      ATTRIBUTES = Stores::Contract::ContractData::ATTRIBUTES
      private_constant :ATTRIBUTES

      class << self
        # @return [Array<String>] the names of the tests, sorted
        def names
          public_instance_methods.map(&:to_s).grep(/\Atest_[a-z_]*[a-z]\z/).sort
        end

        # Run all tests and return their names.
        #
        # @param hooks [Hash{Symbol=>#call}] `make_reference`, `reopen`, `open_beside`, `lose_connection`,
        #   `answer_in_part`, `lose_answer`: see {#initialize}
        # @yieldreturn [DocStoreAdapter] a new, empty store
        # @return [Array<String>] the names of the tests
        # @raise [InvalidInputError] an unknown hook
        # @raise [DocStoreError] the store breaks a guarantee
        def run(**hooks, &)
          contract = new(**hooks, &)
          names.each { |name| contract.public_send(name) }
        end
      end

      # A new store contains no documents, and searching it is not an error.
      def test_a_new_store_is_empty
        store = make_store
        same("count", store.count, 0)
        same("ids", store.search.ids, [])
        same("rank", store.rank([text(term("solar"))]), [])
      end

      # `get` returns every field, and nil for an unknown id.
      def test_documents_come_back_as_they_were
        store = filled
        same("count", store.count, DOCUMENTS.size)
        DOCUMENTS.each { |document| same("get #{document["id"]}", store.get(document["id"]), document) }
        same("get of an unknown id", store.get("nowhere"), nil)
      end

      # A batch with one bad document changes nothing.
      def test_insert_is_all_or_nothing
        store = filled
        before = store.generation
        [
          [{ "id" => "n1" }, { "id" => "d1" }],
          [{ "id" => "n1" }, { "id" => "n1" }],
          [{ "id" => "n1" }, { "content_ltks" => "x" }],
          [{ "id" => "n1" }, { "id" => "" }],
          [{ "id" => "n1" }, { "id" => "n2", "q_2_vec" => [1.0, ::Float::NAN] }],
          [{ "id" => "n1" }, { "id" => "n2", "pagerank_fea" => "high" }]
        ].each { |bad| refused(InvalidInputError) { store.insert(bad) } }
        refused(DimensionMismatchError) { store.insert([{ "id" => "n1" }, { "id" => "n2", "q_2_vec" => [1.0] }]) }
        return unless store.atomic_batches?

        same("count", store.count, DOCUMENTS.size)
        same("generation", store.generation, before)
      end

      # Given fields replace the stored ones, nil removes a field, and other fields stay.
      def test_update_replaces_fields
        store = filled
        same("changed", store.update([{ "id" => "d4", "content_ltks" => "solar bread", "page_num_int" => nil }]), 1)
        same("document", store.get("d4"), { "id" => "d4", "kb_id" => "k2", "content_ltks" => "solar bread" })
        same("found", found(store, text(term("solar"))), %w[d1 d3 d4])
        refused(InvalidInputError) { store.update([{ "id" => "d1", "kb_id" => "x" }, { "id" => "nowhere" }]) }
        same("kept", store.get("d1")["kb_id"], "k1") if store.atomic_batches?
      end

      # New documents are added and stored ones replaced as a whole; unchanged documents do not count.
      def test_upsert_adds_and_replaces
        store = filled
        given = [
          { "id" => "d1", "kb_id" => "k2", "content_ltks" => "moon", "page_num_int" => nil },
          { "id" => "d7", "content_ltks" => "solar tide", "q_2_vec" => [0.8, 0.6] },
          DOCUMENTS[1]
        ]
        same("added or changed", store.upsert(given), 2)
        same("count", store.count, DOCUMENTS.size + 1)
        same("replaced", store.get("d1"), { "id" => "d1", "kb_id" => "k2", "content_ltks" => "moon" })
        same("added", store.get("d7"), given[1])
        same("text", found(store, text(term("solar"))), %w[d3 d7])
        same("new text", found(store, text(term("moon"))), ["d1"])
        same("dense", store.rank([dense(-1.0)]).map(&:first), %w[d7 d3 d2])
        same("filtered", store.rank([], { "kb_id" => "k2" }).map(&:first), %w[d1 d3 d4])
        before = store.generation
        same("the same once more", store.upsert(given), 0)
        same("generation", store.generation, before)
      end

      # A batch with one bad document changes nothing.
      def test_upsert_is_all_or_nothing
        store = filled
        before = store.generation
        [
          [{ "id" => "d1", "kb_id" => "k9" }, { "id" => "n1" }, { "id" => "d1" }],
          [{ "id" => "d1", "kb_id" => "k9" }, { "content_ltks" => "x" }],
          [{ "id" => "n1" }, { "id" => "d1", "pagerank_fea" => "high" }]
        ].each { |bad| refused(InvalidInputError) { store.upsert(bad) } }
        refused(DimensionMismatchError) { store.upsert([{ "id" => "n1" }, { "id" => "d1", "q_2_vec" => [1.0] }]) }
        same("count", store.count, DOCUMENTS.size)
        same("kept", store.get("d1"), DOCUMENTS[0])
        same("generation", store.generation, before)
      end

      # A search no longer finds a deleted document, and the document can be stored again.
      def test_delete_removes
        store = filled
        same("removed", store.delete(%w[d1 nowhere]), 1)
        same("get", store.get("d1"), nil)
        same("text", store.rank([text(term("solar"))]).map(&:first), ["d3"])
        same("dense", store.rank([dense(0.0)]).map(&:first), %w[d3 d2])
        store.insert([DOCUMENTS[0]])
        same("get again", store.get("d1"), DOCUMENTS[0])
      end

      # The generation differs after each change, and stays the same when nothing changes.
      def test_the_generation_follows_the_content
        store = make_store
        seen = [store.generation]
        store.insert(DOCUMENTS)
        seen << store.generation
        store.update([{ "id" => "d1", "kb_id" => "k9" }])
        seen << store.generation
        store.upsert([{ "id" => "d1", "kb_id" => "k8" }])
        seen << store.generation
        store.delete(["d1"])
        seen << store.generation
        same("different generations", seen.map(&:to_s).uniq.size, seen.size)
        store.delete(["nowhere"])
        store.search(match_exprs: [text(term("solar"))])
        same("generation", store.generation, seen[-1])
      end

      # A working store is green.
      def test_health
        health = filled.health
        same("status", health["status"], "green")
        same("documents", health["documents"], DOCUMENTS.size)
      end

      # Documents are sorted by id, or by fields with missing values last.
      def test_listing_without_a_query
        store = filled
        same("ids", store.search(limit: 100).ids, DOCUMENTS.map { |document| document["id"] })
        same("ascending", store.search(order_by: [%w[page_num_int asc]], limit: 3).ids, %w[d5 d4 d1])
        same("descending", store.search(order_by: [%w[page_num_int desc]], limit: 3).ids, %w[d4 d5 d1])
      end

      # Filters by equality, any value of a list, availability, a missing field and ids.
      def test_filters
        store = filled
        [
          [{ "kb_id" => "k1" }, %w[d1 d2]],
          [{ "kb_id" => %w[k1 k3] }, %w[d1 d2 d5 d6]],
          [{ "kb_id" => [] }, []],
          [{ "available_int" => 1 }, %w[d1 d2 d4 d5 d6]],
          [{ "available_int" => 0 }, %w[d3]],
          [{ "must_not" => { "exists" => "q_2_vec" } }, %w[d4 d5 d6]],
          [{ "id" => %w[d6 d1 nowhere] }, %w[d1 d6]],
          [{ "important_kwd" => "wind", "page_num_int" => 7 }, []],
          [{ "page_num_int" => 7.0 }, %w[d4]],
          [{ "kb_id" => "k1' OR 'a'='a" }, []]
        ].each { |filters, expected| same("filters #{filters}", store.rank([], filters).map(&:first), expected) }
        refused(InvalidInputError) { store.rank([], { "kb_id" => { "is" => "k1" } }) }
      end

      # Filters with paths into objects, ranges, existence, any, all and not.
      def test_filters_are_data
        store = make_store
        store.insert(ATTRIBUTES)
        Stores::Contract::ContractData::FILTERS.each do |filters, expected|
          same("filters #{filters}", store.rank([], filters).map(&:first), expected)
        end
        Stores::Contract::ContractData::WRONG_FILTERS.each do |wrong|
          refused(InvalidInputError) { store.rank([], wrong) }
        end
      end

      # Values in `metadata` are sorted and counted like those of a field.
      def test_attributes_order_and_are_counted
        store = make_store
        store.insert(ATTRIBUTES)
        ascending = store.search(order_by: [%w[metadata.year asc]], agg_fields: %w[metadata.lang metadata.in])
        same("ascending", ascending.ids, %w[a1 a2 a3 a4])
        same("counts", ascending.aggs["metadata.lang"], [["en", 2], ["zh", 2]])
        same("counts of an object", ascending.aggs["metadata.in"], [])
        descending = store.search(order_by: [%w[metadata.year desc], %w[tag_feas.good asc]], offset: 1, limit: 3)
        same("descending", descending.ids, %w[a2 a1 a4])
      end

      # Terms, phrases, near phrases, keywords and minimum_should_match.
      def test_text_queries
        store = filled
        either = any_of(term("solar"), term("panel"), term("power"))
        same("terms", found(store, text(either)), %w[d1 d2 d3])
        same("best", store.rank([text(either)])[0][0], "d1")
        same("phrase", found(store, text(phrase(%w[solar panel], 0))), %w[d1])
        same("slop 2", found(store, text(phrase(%w[solar panel], 2))), %w[d1])
        same("slop 3", found(store, text(phrase(%w[solar panel], 3))), %w[d1 d3])
        same("keyword", found(store, text(term("wind"), field: "important_kwd")), %w[d2])
        same("two of three", found(store, text(either, minimum: 2)), %w[d1 d3])
        same("all of three", found(store, text(either, minimum: 1.0)), %w[d1])
        same("nothing", found(store, text(any_of)), [])
        same("filtered", found(store, text(either), { "kb_id" => "k2" }), %w[d3])
      end

      # Rankings are sorted by score descending, then by id ascending; a limit returns the first entries.
      def test_rankings_are_ordered
        store = make_store
        store.insert(%w[b é a B 10 9].map { |identifier| { "id" => identifier, "content_ltks" => "x" } })
        store.insert(Array.new(9) { |place| { "id" => "other #{place}", "content_ltks" => "y" } })
        ranking = store.rank([text(term("x"))])
        same("ids", ranking.map(&:first), %w[10 9 B a b é])
        same("head", store.rank([text(term("x"), topn: 2)]), ranking.take(2))
      end

      # Cosines, `topn` and the lowest similarity of a dense query.
      def test_dense_queries
        store, reference = both(DOCUMENTS)
        same("cosines", reference.rank([dense(-1.0)]), [["d1", 1.0], ["d3", 0.6], ["d2", 0.0]])
        same_answers("cosines", store, reference, [dense(-1.0), dense(0.6), dense(-1.0, topn: 1)])
        same_answers("filtered", store, reference, [dense(-1.0)], { "kb_id" => "k2" })
        other = MatchDenseExpr.new(field: "q_2_vec", vector: [1.0, 0.0, 0.0])
        refused(DimensionMismatchError) { store.rank([other]) }
      end

      # Both legs are fused by weighted sums and by reciprocal ranks.
      def test_fusion
        store = filled
        legs = [text(term("wind")), dense(0.1)]
        weighted = store.rank([*legs, FusionExpr.new("weighted_sum", 10, { "weights" => "0.5,0.5" })])
        same("weighted", weighted, [["d1", 0.5], ["d2", 0.5], ["d3", 0.3]]) if store.exact_dense?
        ranks = store.rank([*legs, FusionExpr.new("rrf", 2, { "k" => 60 })])
        same("rrf", ranks, [["d1", 1.0 / 61.0], ["d2", 1.0 / 61.0]])
        refused(InvalidInputError) { store.rank(legs) }
      end

      # The pages together are the whole ranking, and the total is the same on each.
      def test_pages_are_slices_of_the_ranking
        store = filled
        exprs = [text(any_of(term("solar"), term("water"), term("and"), term("power")))]
        ranking = store.rank(exprs)
        joined = []
        0.step(ranking.size + 1, 2) do |offset|
          page = store.search(match_exprs: exprs, offset:, limit: 2)
          same("total", page.total, ranking.size)
          joined.concat(page.ids.map { |identifier| [identifier, page.scores[identifier]] })
        end
        same("pages joined", joined, ranking)
      end

      # A result contains the selected fields, highlights, counts, the query vector and the keywords.
      def test_results_carry_what_was_asked_for
        store = filled
        result = store.search(select_fields: %w[kb_id q_2_vec nowhere], match_exprs: [dense(0.1)],
                              agg_fields: ["kb_id"], keywords: ["solar"], limit: 1)
        same("fields", result.fields["d1"], { "kb_id" => "k1", "q_2_vec" => [1.0, 0.0] })
        same("query vector", result.query_vector, [1.0, 0.0])
        same("aggs", result.aggs["kb_id"], [["k1", 1], ["k2", 1]])
        same("keywords", result.keywords, ["solar"])
        marked = store.search(match_exprs: [text(term("salt"))], highlight_fields: ["content_with_weight"],
                              keywords: ["salt"])
        same("highlight", marked.highlight, { "d6" => "<em>Salt</em> &amp; more." })
      end

      # Scores do not depend on the order of insertion or on updates and deletes, if the store guarantees this.
      def test_results_do_not_depend_on_history
        expr = text(any_of(term("solar"), term("water"), phrase(%w[solar panel], 3)))
        expected = filled.rank([expr])
        store = make_store
        DOCUMENTS.reverse_each { |document| store.insert([document.merge("content_ltks" => "solar solar")]) }
        store.insert([{ "id" => "gone", "content_ltks" => "solar water" }])
        store.delete(["gone"])
        store.update(DOCUMENTS.take(3).map { |document| document.slice("id", "content_ltks") })
        store.upsert(DOCUMENTS.drop(3))
        same("ranking", store.rank([expr]), expected) if store.history_free?
      end

      # Changing a document outside the store does not change the stored one. Returned documents may be frozen.
      def test_what_goes_in_and_out_is_a_copy
        store = make_store
        document = { "id" => +"a", "important_kwd" => [+"x"] }
        store.insert([document])
        document["important_kwd"][0] << "z"
        document["important_kwd"] << "y"
        document["id"] << "b"
        same("after changing what went in", store.get("a"), { "id" => "a", "important_kwd" => ["x"] })
        came_out = store.get("a")
        came_out["kb_id"] = "k" unless came_out.frozen?
        same("after changing what came out", store.get("a"), { "id" => "a", "important_kwd" => ["x"] })
      end

      # Invalid arguments raise the library's own error.
      def test_unacceptable_arguments_are_refused
        store = filled
        [
          { limit: -1 }, { offset: -1 }, { limit: "ten" }, { filters: "k1" }, { select_fields: "kb_id" },
          { order_by: [%w[kb_id up]] }, { match_exprs: ["solar"] }
        ].each { |options| refused(InvalidInputError) { store.search(**options) } }
        refused(InvalidInputError) { store.insert("abc") }
        refused(InvalidInputError) { store.insert([nil]) }
        refused(InvalidInputError) { store.upsert("abc") }
        refused(InvalidInputError) { store.upsert([nil]) }
        refused(InvalidInputError) { store.delete("d1") }
        refused(InvalidInputError) { store.get(1) }
      end

      # Readers never see half of a pair of documents that another thread stores, if batches are atomic.
      def test_readers_see_whole_batches
        store = make_store
        odd = []
        done = false
        reader = Thread.new do
          until done
            size = store.rank([text(term("x"))]).size
            odd << size if size.odd?
          end
        end
        0.step(98, 2) do |place|
          store.insert([place, place + 1].map { |number| { "id" => number.to_s, "content_ltks" => "x" } })
        end
        done = true
        reader.join
        same("half batches seen", odd, []) if store.atomic_batches?
      end

      private

      def found(store, expr, filters = nil)
        store.rank([expr], filters).map(&:first).sort
      end
    end
  end
end
