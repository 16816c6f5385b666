# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # Compares a store with a memory store of the same documents, as far as the store guarantees equal results (DOC-5,
      # DOC-8).
      class ReferenceContract < StatsContract
        private

        # @return [Array(DocStoreAdapter, MemoryDocStore)] a store and a reference store of these documents
        def both(documents)
          [make_store, make_reference].each { |each| each.insert(documents) }
        end

        # Fail unless two values are equal to the last bit, with the same types and the same order of keys.
        def exactly(what, got, expected)
          return if got.inspect == expected.inspect

          raise DocStoreError, "#{BROKEN} #{what} #{difference(got, expected)}"
        end

        # Fail unless both stores contain the same documents.
        def same_documents(store, reference)
          same("count", store.count, reference.count)
          listed = reference.rank([]).map(&:first)
          exactly("ids", store.rank([]).map(&:first), listed)
          listed.each do |identifier|
            expected = ordered(reference.get(identifier))
            exactly("get #{identifier[0, 40].inspect}", ordered(store.get(identifier)), expected)
          end
        end

        # Fail unless both stores return the same for each expression, as far as the store guarantees it (DOC-8).
        def same_answers(what, store, reference, exprs, filters = nil)
          exprs.each_with_index do |expr, place|
            got = store.rank([expr], filters)
            same_ranking("#{what}, #{place}", store, expr, got, reference.rank([expr], filters))
            same_similarities("#{what}, #{place}", store, expr, filters)
          end
        end

        # Fail unless a ranking is the expected one; without exact scores, check its order and its ids only.
        def same_ranking(what, store, expr, got, expected)
          is_text = !expr.is_a?(AdapterKit::MatchDenseExpr)
          return exactly(what, got, expected) if is_text ? store.exact_text? : store.exact_dense?

          exactly("the order of #{what}", got, got.sort_by { |identifier, score| [-score, identifier] })
          found = got.map(&:first).sort
          if is_text
            exactly("what is found by #{what}", found, expected.map(&:first).sort)
          else
            same("how many are found by #{what}", found.uniq.size <= expr.topn, true)
          end
        end

        # Fail unless the fields that a reranker reads are the stored ones, and reported cosines are exact.
        def same_similarities(what, store, expr, filters)
          result = store.search(filters:, match_exprs: [expr], limit: 5)
          result.ids.each do |identifier|
            stored = store.get(identifier) || {}
            exactly("fields of #{what}", ordered(result.fields[identifier]), ordered(stored))
            told = result.dense_scores&.cosine(identifier)
            next unless told && expr.is_a?(AdapterKit::MatchDenseExpr)

            exactly("the cosine told by #{what}", told, Base::Numeric.cosine(expr.vector, stored[expr.field]))
          end
        end

        # Return a document with its vectors at the end; the order of vectors is not tested.
        def ordered(document)
          vectors, fields = document&.partition { |name, _| name.end_with?("_vec") }
          document && (fields + vectors.sort_by(&:first)).to_h
        end

        # Describe the first difference of two values.
        def difference(got, expected)
          lists = got.is_a?(::Array) && expected.is_a?(::Array)
          return "should be #{expected.inspect}, is #{got.inspect}" unless lists
          return "should be #{expected.size} items, is #{got.size}" if got.size != expected.size

          place = got.zip(expected).index { |left, right| left.inspect != right.inspect }
          "should be #{expected[place].inspect} at #{place}, is #{got[place].inspect}"
        end
      end
    end
  end
end
