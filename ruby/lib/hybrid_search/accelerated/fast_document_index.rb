# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents of a store in memory with their indexes, in one state (DOC-1 … DOC-3), in a fast form. Its results
    # never change, as {#changed} returns a new state.
    #
    # Documents are numbered by slots, which the tables, the indexes and the masks of filters share. States share their
    # contents. An abandoned change only leaves slots without documents. Several threads may search at once.
    class FastDocumentIndex
      include Base::ShortInspect

      FEWEST_DEAD_SLOTS = 1024
      MOST_ROOMS = 8

      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param vocabulary [Vocabulary] numbers the tokens of all documents of a store
      def initialize(bm25, vocabulary = Vocabulary.new)
        @bm25 = bm25
        @vocabulary = vocabulary
        @table = DocumentTable.new
        @text_indexes = {}
        @dense_indexes = {}
        @best_fields = BestFields.new(@text_indexes)
        @bm25f = Bm25fPostings.new(@text_indexes)
        @masks = FilterMasks.new
        @states_availability = false
        @rooms = []
      end

      # @return [Integer] the number of documents
      def count
        @table.living.count
      end

      # @param identifier [String]
      # @return [Hash{String=>Object}, nil] the fields of a document except its vectors
      def fields(identifier)
        slot = @table.slot(identifier)
        slot && @table.entry(slot).fields
      end

      # @param identifier [String]
      # @param field [String]
      # @return [Array<Float>, nil] the vector of a document in a field
      def vector(identifier, field)
        index = @dense_indexes[field]
        slot = index && @table.slot(identifier)
        slot && index.vector(slot)
      end

      # @param identifier [String]
      # @return [Stores::Documents::StoredDocument, nil] the document
      def stored(identifier)
        slot = @table.slot(identifier)
        slot && stored_in(slot)
      end

      # @return [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] the fields of each document except its
      #   vectors, and the names of its vector fields; in no order
      def entries
        @table.slots.lazy.map { |slot| @table.entry(slot) }.map { |entry| [entry.fields, entry.vector_fields] }
      end

      # Return the state after a batch. Only one change at a time may be made, each from the state that was published
      # last. If more slots would be dead than documents remain, the new state is built from the remaining documents.
      #
      # @param removed [Array<String>] the ids of removed documents
      # @param added [Array<Stores::Documents::StoredDocument>] new documents; no other documents have their ids
      # @return [FastDocumentIndex] the state after a batch
      def changed(removed, added)
        gone = removed.filter_map { |identifier| @table.slot(identifier) }
        left = count - gone.size + added.size
        following = self.class.new(@bm25, @vocabulary)
        if @table.living.dead + gone.size > [FEWEST_DEAD_SLOTS, left].max
          kept = (@table.slots - gone).map { |slot| stored_in(slot) }
          following.fill([], kept + added)
        else
          following.continue(@table, @text_indexes, @dense_indexes, @masks, @states_availability, @rooms)
          following.fill(gone, added)
        end
        following
      end

      # @param filters [AdapterKit::Filters]
      # @return [Array<String>] the ids of the documents that pass, in no order
      def passing(filters)
        mask = mask(filters)
        slots = @table.slots
        slots.select! { |slot| mask.getbyte(slot) == 1 } if mask
        @table.identifiers(slots)
      end

      # @param filters [AdapterKit::Filters]
      # @return [Boolean] whether all documents are known to pass without a look at each
      def passes_all?(filters)
        mask(filters).nil?
      end

      # @param query [Stores::Queries::MatchExprs::TextQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents that match, in the order of ORD-1
      def text_leg(query, filters)
        limit = [query.topn, @table.living.limit].min
        slots, scores = with_sums do |sums|
          QueryEvaluator.new(@best_fields, sums).best(query.fields, query.clauses, limit, mask(filters))
        end
        ranked(slots, scores, limit)
      end

      # @param query [Stores::Queries::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents that contain a token of a bag, in the order of
      #   ORD-1 (DOC-9)
      def bm25f_leg(query, filters)
        slots, scores, limit = bm25f_best(query, filters)
        ranked(slots, scores, limit)
      end

      # @param query [Stores::Queries::MatchExprs::Bm25fQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Stores::Snapshot::LegHead] the first hundred documents of that leg
      def bm25f_head(query, filters)
        FastLegHead.of(*bm25f_best(query, filters), @table.method(:slot)) { |*found| ranked(*found) }
      end

      # @param query [Stores::Queries::MatchExprs::DenseQuery]
      # @param filters [AdapterKit::Filters]
      # @return [Array<Array(String, Float)>] up to `topn` documents nearest to its vector that are similar enough, in
      #   the order of ORD-1
      def dense_leg(query, filters)
        index = @dense_indexes[query.field]
        return [] unless index

        limit = [query.topn, @table.living.limit].min
        slots, scores = index.best(query.vector, limit, query.similarity, mask(filters))
        ranked(slots, scores, limit)
      end

      # @param path [Stores::Documents::FieldPath]
      # @param identifiers [Array<String>]
      # @return [Array<Object, nil>] the values of these documents at the path
      def values(path, identifiers)
        identifiers.map { |identifier| path.value(fields(identifier) || {}) }
      end

      # @param filters [AdapterKit::Filters]
      # @param order [Stores::Queries::SortOrder]
      # @param offset [Integer] the number of documents before the slice
      # @param limit [Integer] the maximum number of documents in the slice
      # @return [Stores::Queries::DocumentListing] a slice of the documents that pass
      def listing(filters, order, offset, limit)
        Stores::Queries::DocumentListing.of(passing(filters), order, offset, limit, &method(:values))
      end

      # Announce the documents that will be requested; nothing has to be read in advance here.
      #
      # @param _identifiers [Array<String>] the ids of the documents
      # @param _vector_fields [Array<String>, nil] the vector fields that will be requested; nil: all
      # @return [void]
      def expect(_identifiers, _vector_fields); end

      # @param identifiers [Array<String>]
      # @return [Hash{String=>PreparedDocument}] id → the form prepared for reranking, of documents that have one
      def prepared(identifiers)
        found = identifiers.to_h do |identifier|
          slot = @table.slot(identifier)
          [identifier, slot && @table.entry(slot).prepared]
        end
        found.compact
      end

      protected

      # Begin with the contents of another state.
      def continue(table, text_indexes, dense_indexes, masks, states_availability, rooms)
        @table = table
        @text_indexes.update(text_indexes)
        @dense_indexes.update(dense_indexes)
        @masks = masks
        @states_availability = states_availability
        @rooms = rooms
      end

      # Remove documents, and add others.
      def fill(removed, added)
        @states_availability ||= added.any? { |document| document.fields.key?("available_int") }
        gone = removed.map { |slot| @table.entry(slot) }
        entries = added.map { |document| entry_of(document) }
        @table, first = @table.changed(removed, entries)
        index_texts(gone, entries, first)
        index_vectors(gone, added, first)
      end

      private

      # Return for each slot whether its document passes; nil if all do. A document that states no availability is
      # available.
      def mask(filters)
        return nil if filters.ask_availability_alone? && !@states_availability

        @masks.mask(filters, @table)
      end

      def stored_in(slot)
        entry = @table.entry(slot)
        vectors = entry.vector_fields.to_h { |field| [field, @dense_indexes.fetch(field).vector(slot)] }
        Stores::Documents::StoredDocument.new(entry.identifier, entry.fields, vectors)
      end

      def entry_of(document)
        _, first_vector = document.vectors.min_by { |field, _| field }
        prepared = PreparedDocument.prepare(@vocabulary, document.fields, first_vector)
        DocumentTable::TableEntry.new(document.identifier, document.fields, document.vectors.keys.freeze, prepared)
      end

      def index_texts(removed, added, first)
        gone = Hash.new { |values, field| values[field] = [] }
        fresh = Hash.new { |values, field| values[field] = [] }
        removed.each { |entry| searchable(entry) { |field, value| gone[field] << value } }
        added.each.with_index(first) do |entry, slot|
          searchable(entry) { |field, value| fresh[field] << [slot, value] }
        end
        shared = shared_fields(gone, fresh)
        ((gone.keys | fresh.keys) - shared.keys).each do |field|
          index = @text_indexes[field] || FastInvertedIndex.new(@bm25,
                                                                Stores::Documents::StoredDocument.keyword_field?(field))
          @text_indexes[field] = index.changed(
            @table.living,
            gone[field].lazy.map { |value| Stores::Documents::StoredDocument.tokens(field, value) },
            fresh[field].lazy.map { |slot, value| [slot, Stores::Documents::StoredDocument.tokens(field, value)] }
          )
        end
        shared.each { |field, whole| @text_indexes[field] = @text_indexes.fetch(whole) }
      end

      # Return the fields of parts whose old and new values are equal to those of the tokens: they share one index.
      # English text is such a case, because its tokens have no parts. A field that begins to differ gets its own index.
      def shared_fields(gone, fresh)
        changed = gone.keys | fresh.keys
        shared = {}
        (changed | @text_indexes.keys).each do |field|
          whole = field.gsub("_sm_", "_")
          index = @text_indexes[whole]
          next unless whole != field && @text_indexes[field].equal?(index)

          if changed.include?(whole) && same?(gone, field, whole) && same?(fresh, field, whole)
            shared[field] = whole
          elsif index
            @text_indexes[field] = index.separated
          end
        end
        shared
      end

      def same?(values, field, whole)
        values.fetch(field, nil) == values.fetch(whole, nil)
      end

      def searchable(entry)
        entry.fields.each { |field, value| yield field, value if Stores::Documents::StoredDocument.searchable?(field) }
      end

      def index_vectors(removed, added, first)
        changes = Hash.new { |vectors, field| vectors[field] = [] }
        removed.each { |entry| entry.vector_fields.each { |field| changes[field] } }
        added.each.with_index(first) do |document, slot|
          document.vectors.each { |field, vector| changes[field] << [slot, vector] }
        end
        changes.each do |field, vectors|
          index = @dense_indexes[field] || new_vectors(
            Stores::Documents::StoredDocument.vector_dimension(field, field)
          )
          rows = vectors.map { |slot, vector| [slot, vector, Base::Numeric.norm(vector)] }
          @dense_indexes[field] = index.changed(@table.living, rows)
        end
      end

      # Return an empty index of vectors.
      def new_vectors(dimension)
        FastDenseIndex.new(dimension)
      end

      # Yield an object that finds the best sums of texts: it has a sum and a whole number for each slot, which must all
      # be zero again when they are given back.
      #
      # If an error interrupts the search, they are not given back.
      def with_sums
        room = @rooms.pop || [[], []]
        missing = @table.living.limit - room[0].size
        room.zip([0.0, 0]) { |numbers, zero| numbers.concat(Array.new(missing, zero)) } if missing.positive?
        found = yield BestSums.new(@table.living.limit, *room)
        @rooms.push(room) if @rooms.size < MOST_ROOMS
        found
      end

      # Return the slots and scores that {Bm25fLeg#best} finds, and the limit.
      def bm25f_best(query, filters)
        limit = [query.topn, @table.living.limit].min
        found = with_sums { |sums| @bm25f.leg(query, count, limit, sums, mask(filters)).best }
        [*found, limit]
      end

      def ranked(slots, scores, limit)
        Base::Ordering.rank(@table.identifiers(slots).zip(scores)).take(limit)
      end
    end
  end
end
