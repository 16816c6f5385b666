# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of unusual values, ids, names, tokens and vectors for every document store (DOC-5): each value is
      # returned as it was stored, and is distinct from all others.
      class ValuesContract < ReferenceContract
        NUMBERS = [10_000_000_000_000_000, 1e16, (1 << 53) + 1, -(1 << 70), 0, 0.0, -0.0, 5e-324,
                   1.7976931348623157e308, 0.1, 1e-7, 3.0, 1e23].freeze
        TEXTS = ["", "\0", "a\0b", "'; --", "\"\\/", "%_", "\u2028\u2029", "é", "e\u0301", "\uff61", "😀",
                 "\x7f\x1b\r\n\t", "太阳"].freeze
        IDS = [*TEXTS.reject(&:empty?), " ", "A", "a", "10", "9", "_", "../x", "<em>", "a" * 300, "\uffff",
               "\ue000"].freeze
        FIELDS = ["a' or 'a'='a_kwd", "x\"y_kwd", "a\0b_kwd", "%_kwd", "$1_kwd", "%s_kwd", "a.b_kwd", "ü;--_kwd",
                  "a b_kwd", "{}_kwd", "\\_kwd", "_source_kwd", "A_kwd", "a_kwd", "😀_kwd", "#{"x" * 300}_kwd",
                  "metadata_kwd", "?_kwd", ":a_kwd"].freeze
        DIGITS = (0...3_000).to_a.join
        TOKENS = ["a" * 255, "a" * 256, "b" * 2_046, "b" * 2_047, "太" * 400, "太" * 700, DIGITS[0, 9_000],
                  "#{DIGITS[0, 8_999]}x", "OR", "AND", "NOT", "_exists_:id", "a&b", "&&", "!", "*", "a*", "~2", "\"",
                  "'", "\\", "%", "a\0b", "\0", "a\tb", "a\u3000b", "(", "<->", "é", "e\u0301", "😀", "A", "a"].freeze
        VECTORS = [[0.0, 0.0], [1.0, Math.ldexp(1.0, -40)], [1.0, Math.ldexp(1.0, -41)], [0.1, 0.2],
                   [0.1, 0.2000000000000001], [-0.0, 1.0], [-1.0, -0.0], [1e-200, 1e-200], [1e150, -1e150],
                   [5e-324, 0.0], [3e38, 4e38], [1e-46, 1e-46], [16_777_217.0, 1.0]].freeze
        # A number of components beyond the limit of some engines' vector indexes.
        LONG = 2_048
        private_constant :NUMBERS, :TEXTS, :IDS, :FIELDS, :DIGITS, :TOKENS, :VECTORS, :LONG

        # A store preserves the types and bits of numbers, every character and the order of keys.
        def test_values_come_back_as_they_were
          numbers = NUMBERS.each_with_index.to_h { |value, place| ["n#{place}", value] }
          documents = [
            { "id" => "numbers", **numbers, "all" => NUMBERS },
            { "id" => "texts", "metadata" => { "z" => TEXTS, "a" => TEXTS.to_h { |text| [text, text] } } },
            { "id" => "mixed", "z" => [nil, true, false, [], {}, [[1], { "b" => 1, "a" => 1.0 }]], "a" => 1,
              "important_kwd" => [] }
          ]
          store, reference = both(documents)
          same_documents(store, reference)
          found = store.search(limit: 10).fields
          documents.each { |document| exactly("fields found", found[document["id"]].to_a, document.to_a) }
          same("changed by the same", store.upsert(documents), 0)
          kinds_of_one_value_differ(store)
        end

        # Ids with any characters are distinct, and are sorted by code points.
        def test_ids_are_told_apart
          store, reference = both(IDS.map { |identifier| { "id" => identifier, "kb_id" => identifier } })
          same_documents(store, reference)
          exactly("ids in order", store.search(limit: 100).ids, IDS.sort)
          IDS.product(%w[id kb_id]) do |identifier, field|
            found = store.rank([], { field => identifier }).map(&:first)
            exactly("ids with #{field} #{identifier[0, 40].inspect}", found, [identifier])
          end
          gone, staying = IDS.partition.with_index { |_, place| place.even? }
          same("removed", store.delete(gone), gone.size)
          exactly("ids that stay", store.search(limit: 100).ids, staying.sort)
        end

        # Names of fields are distinct and have no special meaning in queries, filters, orders and counts.
        def test_names_of_fields_are_told_apart
          documents = FIELDS.each_with_index.map { |field, place| { "id" => format("%02d", place), field => "word" } }
          store, reference = both(documents)
          same_documents(store, reference)
          FIELDS.zip(documents) { |field, document| name_is_a_name(store, reference, field, document["id"]) }
        end

        # Long tokens are distinct up to their last character, and no token or keyword is an operator.
        def test_tokens_are_told_apart
          documents = TOKENS.each_with_index.map do |token, place|
            { "id" => format("%02d", place), "content_ltks" => "#{token} and", "important_kwd" => [token] }
          end
          store, reference = both(documents)
          TOKENS.zip(documents) do |token, document|
            exprs = [text(term(token)), text(phrase([token, "and"])), text(term(token), field: "important_kwd")]
            same_answers("queries of token #{document["id"]}", store, reference, exprs)
            found = store.rank([], { "important_kwd" => token }).map(&:first)
            exactly("keyword #{document["id"]}", found, [document["id"]])
          end
          same_answers("all tokens", store, reference, [text(any_of(*TOKENS.map { |token| term(token) }))])
        end

        # Vectors of zeros, of components that 32-bit floats cannot represent, and of many components.
        def test_vectors_of_every_kind
          ramp = Array.new(LONG) { |place| (place % 7) + 0.1 }
          long = "q_#{LONG}_vec"
          documents = VECTORS.each_with_index.map do |vector, place|
            { "id" => format("%02d", place), "q_2_vec" => vector }
          end
          documents.push({ "id" => "long", long => ramp }, { "id" => "long reversed", long => ramp.reverse },
                         { "id" => "none" })
          store, reference = both(documents)
          same_documents(store, reference)
          VECTORS.each do |vector|
            exprs = [dense(-1.0, topn: 50, vector:), dense(-1.0, topn: 3, vector:), dense(0.5, topn: 50, vector:)]
            same_answers("nearest to #{vector}", store, reference, exprs)
          end
          same_answers("filtered", store, reference, [dense(-1.0, topn: 3)], { "id" => { "gte" => "05" } })
          same_answers("many components", store, reference, [dense(-1.0, topn: 5, vector: ramp, field: long)])
        end

        private

        def kinds_of_one_value_differ(store)
          [[NUMBERS[0], NUMBERS[1]], [0, 0.0], [true, 1]].each do |value, other|
            store.upsert([{ "id" => "one", "value" => value }])
            same("changed from #{value} to #{other}", store.update([{ "id" => "one", "value" => other }]), 1)
            exactly("value", store.get("one"), { "id" => "one", "value" => other })
          end
        end

        def name_is_a_name(store, reference, field, own)
          shown = field[0, 40].inspect
          same_answers("queries in #{shown}", store, reference, [text(term("word"), field:)])
          [{ field => "word" }, { field => { "exists" => true } },
           { "not" => { "must_not" => { "exists" => field } } }].each do |filters|
            exactly("ids with #{shown}", store.rank([], filters).map(&:first), [own])
          end
          result = store.search(select_fields: [field], order_by: [[field, "asc"]], agg_fields: [field], limit: 1)
          exactly("first by #{shown}", result.ids, [own])
          exactly("fields selected, #{shown}", result.fields[own], { field => "word" })
          exactly("counts of #{shown}", result.aggs[field], [["word", 1]])
        end
      end
    end
  end
end
