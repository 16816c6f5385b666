# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of concurrent use and of faults for every document store (DOC-5, DOC-8).
      class SharingContract < FeaturesContract
        WRITERS = 4
        ROUNDS = 4
        # The number of times that a store may fail after it lost its connections, before it works again.
        TRIES = 10
        PAIR = [{ "id" => "n1", "content_ltks" => "solar water", "q_2_vec" => [0.8, 0.6] },
                { "id" => "n2", "content_ltks" => "solar power" }].freeze
        private_constant :WRITERS, :ROUNDS, :TRIES, :PAIR

        # Threads that write concurrently, through several stores, have the same effect as one after another.
        def test_writers_end_as_one_would
          store = make_store
          stores = [store, open_beside(store) || store]
          threads = Array.new(WRITERS) do |writer|
            Thread.new { changes(stores[writer % 2], writer) }.tap { |thread| thread.report_on_exception = false }
          end
          same("who was the first to store an id, by turns", threads.flat_map(&:value).sort, [*0...ROUNDS])
          reference = make_reference
          WRITERS.times { |writer| changes(reference, writer) }
          stores.each do |each|
            same_documents(each, reference)
            same_answers("after many writers", each, reference, exprs) if each.history_free?
          end
        end

        # Documents, results, names of models and the generation survive, if a store can be reopened.
        def test_content_outlives_the_store
          store = filled
          store.keep_vector_model("q_2_vec", "small")
          store.delete(["d6"])
          before = told_by(store)
          opened = reopen(store)
          return unless opened

          exactly("the reopened store", told_by(opened), before)
          reference = make_reference
          reference.insert(DOCUMENTS.take(5))
          same_documents(opened, reference)
          opened.insert(DOCUMENTS.drop(5))
          same("another generation", opened.generation != before[0], true)
        end

        # Each of two open stores finds what the other writes, and the generation shows it.
        def test_stores_of_one_content_see_each_other
          store = filled
          beside = open_beside(store)
          return unless beside

          reference = make_reference
          reference.insert(DOCUMENTS)
          reads_what_another_writes(store, beside, reference)
          reads_what_another_writes(beside, store, reference)
          refused(InvalidInputError) { beside.insert([DOCUMENTS[0]]) }
        end

        # Calls raise the library's error or return the right result; afterwards all stored documents are available.
        def test_a_lost_connection_loses_nothing
          store = filled
          mend = lose_connection(store)
          return unless mend

          whole_or_refused(store)
          mend.call
          works_again(store, [DOCUMENTS.size])
          same("stored", store.insert(PAIR), PAIR.size)
          same_documents(store, with_pair)
        end

        # If an engine reports a partial result, the store returns the whole result or raises the library's error.
        def test_no_answer_is_silently_short
          store = filled
          mend = answer_in_part(store)
          return unless mend

          whole_or_refused(store)
          mend.call
          works_again(store, [DOCUMENTS.size])
        end

        # A change whose response was lost raises {UnknownOutcomeError}; it took effect or not, and can be repeated.
        def test_an_unknown_outcome_says_so
          store = filled
          mend = lose_answer(store)
          return unless mend

          refused(UnknownOutcomeError) { store.insert(PAIR) }
          mend.call
          added = store.atomic_batches? ? [0, PAIR.size] : [*0..PAIR.size]
          works_again(store, added.map { |size| DOCUMENTS.size + size })
          store.upsert(PAIR)
          same_documents(store, with_pair)
        end

        private

        def exprs
          [text(any_of(term("solar"), term("water"), term("and"), phrase(%w[solar panel], 3))), text(term("power")),
           dense(-1.0)]
        end

        def with_pair
          reference = make_reference
          reference.insert([*DOCUMENTS, *PAIR])
          reference
        end

        def told_by(store)
          [store.generation, store.vector_fields, exprs.map { |expr| store.rank([expr]) }]
        end

        def reads_what_another_writes(writer, reader, reference)
          before = reader.generation
          [writer, reference].each do |each|
            each.upsert([*PAIR, { "id" => "d4", "content_ltks" => "water #{each.count}" }])
            each.delete(["d1"])
          end
          same("another generation", reader.generation != before, true)
          same("generations", reader.generation, writer.generation)
          same_documents(reader, reference)
          same_answers("what another wrote", reader, reference, exprs) if reader.history_free?
          [writer, reference].each do |each|
            each.delete(%w[n1 n2])
            each.insert([DOCUMENTS[0]])
          end
        end

        # Call every method that reads; each must return the right result or raise the library's error.
        def whole_or_refused(store)
          reference = make_reference
          reference.insert(DOCUMENTS)
          first = exprs[0]
          [
            ->(each) { each.count },
            ->(each) { each.search(limit: 100).ids },
            ->(each) { each.search(limit: 1).total },
            ->(each) { each.rank([first]).map(&:first).sort },
            ->(each) { each.rank([], { "kb_id" => %w[k1 k3] }).map(&:first).sort },
            ->(each) { each.search(agg_fields: ["kb_id"]).aggs["kb_id"] },
            ->(each) { each.get("d4") }
          ].each_with_index { |ask, place| answers_or_fails(store, reference, ask, place) }
        end

        def answers_or_fails(store, reference, ask, place)
          got = ask.call(store)
        rescue DocStoreError
          nil
        else
          same("answer #{place} of a failing engine", got, ask.call(reference))
        end

        def works_again(store, counts)
          TRIES.times do
            found = begin
              store.count
            rescue DocStoreError
              next
            end
            return same("one of the counts #{counts.inspect}", counts.include?(found), true)
          end
          raise DocStoreError, "#{BROKEN} it should work again"
        end

        # Make the changes of one writer; return the turns in which it was the first to store the turn's shared id.
        def changes(store, writer)
          Array.new(ROUNDS) do |turn|
            ids = Array.new(3) { |place| "#{writer} #{turn} #{place}" }
            added = { "content_ltks" => "solar panel #{turn}", "q_2_vec" => [1.0, turn] }
            store.insert(ids.map { |identifier| { "id" => identifier, **added } })
            store.update([{ "id" => ids[0], "content_ltks" => "water and power #{writer}" }])
            store.upsert([{ "id" => ids[1], "content_ltks" => "and power" },
                          { "id" => "shared", "content_ltks" => "solar #{turn}" }])
            store.delete([ids[2]])
            first_with(store, turn)
          end.compact
        end

        def first_with(store, turn)
          store.insert([{ "id" => "first #{turn}", "content_ltks" => "power" }])
          turn
        rescue InvalidInputError
          nil
        end
      end
    end
  end
end
