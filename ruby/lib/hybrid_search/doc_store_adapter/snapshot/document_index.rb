# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # An immutable collection of documents by id with its indexes (DOC-1 … DOC-3); {#changed} returns the next state
      # and leaves this one unchanged.
      #
      # The index of a field is built when a query first needs it. Several threads may read at the same time.
      class DocumentIndex
        include Base::ShortInspect

        # @param bm25 [Bm25] the formula
        def initialize(bm25)
          @bm25 = bm25
          @documents = {}
          @text_indexes = {}
          @dense_indexes = {}
          @state_availability = nil
        end

        # @return [Integer] the number of documents
        def count
          @documents.size
        end

        # @param identifier [String]
        # @return [Hash{String=>Object}, nil] the fields of a document except its vectors
        def fields(identifier)
          @documents[identifier]&.fields
        end

        # @param identifier [String]
        # @param field [String]
        # @return [Array<Float>, nil] the vector of a document in a field
        def vector(identifier, field)
          @documents[identifier]&.vectors&.fetch(field, nil)
        end

        # @param identifier [String]
        # @return [Documents::StoredDocument, nil] the document
        def stored(identifier)
          @documents[identifier]
        end

        # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] for each document the fields except
        #   vectors, and the names of the vector fields, in any order
        def entries
          @documents.each_value.lazy.map { |document| [document.fields, document.vectors.keys] }
        end

        # Return the state after a batch. Changes must be sequential, each one from the latest published state.
        #
        # @param removed [Array<String>] the ids of removed documents
        # @param added [Array<Documents::StoredDocument>] new documents, whose ids no other document has
        # @return [DocumentIndex] the state after a batch
        def changed(removed, added)
          gone = removed.to_h { |identifier| [identifier, true] }
          following = DocumentIndex.new(@bm25)
          following.fill(@documents.reject { |identifier, _| gone.key?(identifier) }, added)
          following
        end

        # @param filters [Filters]
        # @return [Array<String>] the ids of the documents that pass filters, in any order
        def passing(filters)
          return @documents.keys if passes_all?(filters)

          passing = @documents.select do |identifier, document|
            filters.accepts?(identifier, document.fields, document.vectors.keys)
          end
          passing.keys
        end

        # @param filters [Filters]
        # @return [Boolean] whether all documents certainly pass filters, without checking each of them
        def passes_all?(filters)
          filters.ask_availability_alone? && !state_availability?
        end

        # Add up clause score · boost over the clauses of each document, from left to right, starting at 0.0.
        #
        # @param query [Queries::MatchExprs::TextQuery]
        # @param filters [Filters]
        # @return [Array<Array(String, Float)>] the documents that match, at most its `topn`, in the order of ORD-1
        def text_leg(query, filters)
          totals = Hash.new(0.0)
          matched = Hash.new { |places, identifier| places[identifier] = {} }
          query.clauses.clauses.each_with_index do |clause, place|
            best_scores(query.fields, clause).each do |identifier, score|
              totals[identifier] += clause.boost * score
              matched[identifier][place] = true
            end
          end
          found = passing(filters).select do |identifier|
            matched.key?(identifier) && alternatives(query, matched[identifier]) >= query.clauses.required
          end
          Base::Slices.head(Base::Ordering.rank(found.map { |identifier| [identifier, totals[identifier]] }),
                            query.topn)
        end

        # @param query [Queries::MatchExprs::Bm25fQuery]
        # @param filters [Filters]
        # @return [Array<Array(String, Float)>] the documents that contain a token of a bag, at most its `topn`, in the
        #   order of ORD-1 (DOC-9)
        def bm25f_leg(query, filters)
          totals = Hash.new(0.0)
          indexes = query.fields.map { |field, weight| [weight, text_index(field)] }
          indexes = indexes.reject { |_, index| index.lengths.empty? }
          query.counts.each do |token, occurrences|
            frequencies = bm25f_frequencies(indexes, token)
            weight = Bm25f.idf(count, holding(token, frequencies))
            frequencies.each do |identifier, frequency|
              totals[identifier] += Bm25f.score(occurrences, weight, frequency)
            end
          end
          found = passing(filters).select { |identifier| totals.fetch(identifier, 0.0).positive? }
          Base::Slices.head(Base::Ordering.rank(found.map { |identifier| [identifier, totals[identifier]] }),
                            query.topn)
        end

        # @param query [Queries::MatchExprs::Bm25fQuery]
        # @param filters [Filters]
        # @return [LegHead] the first hundred documents of that leg
        def bm25f_head(query, filters)
          LegHead.of(bm25f_leg(query, filters))
        end

        # @param query [Queries::MatchExprs::DenseQuery]
        # @param filters [Filters]
        # @return [Array<Array(String, Float)>] the documents nearest to its vector with sufficient similarity, at most
        #   its `topn`, by ORD-1
        def dense_leg(query, filters)
          found = dense_index(query.field).cosines(query.vector, passing(filters))
          found = found.select { |_, cosine| cosine >= query.similarity } if query.similarity
          Base::Slices.head(Base::Ordering.rank(found), query.topn)
        end

        # @param path [Documents::FieldPath]
        # @param identifiers [Array<String>]
        # @return [Array<Object, nil>] the values of these documents at the path, nil for documents without a value
        def values(path, identifiers)
          identifiers.map { |identifier| path.value(fields(identifier) || {}) }
        end

        # @param filters [AdapterKit::Filters]
        # @param order [Queries::SortOrder]
        # @param offset [Integer] the position at which the slice begins
        # @param limit [Integer] the maximum number of documents in the slice
        # @return [Queries::DocumentListing] a slice of the documents that pass filters
        def listing(filters, order, offset, limit)
          Queries::DocumentListing.of(passing(filters), order, offset, limit, &method(:values))
        end

        # Announce the documents that will be read; this class has nothing to prepare.
        #
        # @param _identifiers [Array<String>] their ids
        # @param _vector_fields [Array<String>, nil] the vector fields that will be read; nil for all
        # @return [void]
        def expect(_identifiers, _vector_fields); end

        # @param _identifiers [Array<String>]
        # @return [Hash{String=>Object}] id → the data prepared for reranking a document; empty in this class
        def prepared(_identifiers)
          {}
        end

        protected

        def fill(kept, added)
          @documents = kept.merge(added.to_h { |document| [document.identifier, document] })
        end

        private

        # Return whether any document has a value for availability; a document without one is available.
        def state_availability?
          return @state_availability unless @state_availability.nil?

          @state_availability = @documents.each_value.any? { |document| document.fields.key?("available_int") }
        end

        # Return id → the weighted and normalized frequency of a token over all fields, for documents that contain it.
        def bm25f_frequencies(indexes, token)
          indexes.each_with_object({}) do |(weight, index), frequencies|
            counts = index.counts(token)
            average_length = index.average_filled_length unless counts.empty?
            counts.each do |identifier, count|
              added = Bm25f.frequency(weight, count, index.lengths.fetch(identifier), average_length)
              frequencies[identifier] = frequencies.fetch(identifier, 0.0) + added
            end
          end
        end

        # Return the number of documents that contain a token in one of the searched fields.
        def holding(_token, frequencies)
          frequencies.size
        end

        # Return id → the score of a clause in the best field: the maximum of field boost · score.
        def best_scores(fields, clause)
          fields.each_with_object({}) do |(field, boost), best|
            text_index(field).scores(clause.tokens, clause.slop).each do |identifier, score|
              best[identifier] = [boost * score, best.fetch(identifier, boost * score)].max
            end
          end
        end

        # Return the number of alternatives that contain one of the matched clauses.
        def alternatives(query, matched)
          query.clauses.alternatives.count { |places| places.any? { |place| matched.key?(place) } }
        end

        def text_index(field)
          @text_indexes[field] ||= begin
            having = @documents.select { |_, document| document.fields.key?(field) }
            tokens = having.transform_values do |document|
              Documents::StoredDocument.tokens(field, document.fields[field])
            end
            InvertedIndex.new(@bm25, Documents::StoredDocument.keyword_field?(field), tokens)
          end
        end

        def dense_index(field)
          @dense_indexes[field] ||= begin
            having = @documents.select { |_, document| document.vectors.key?(field) }
            DenseIndex.new(having.transform_values { |document| document.vectors[field] })
          end
        end
      end
    end
  end
end
