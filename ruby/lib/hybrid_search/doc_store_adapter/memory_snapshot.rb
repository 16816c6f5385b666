# frozen_string_literal: true

module HybridSearch
  # One state of a store in memory: what all readers see until the next one is published (DOC-1 … DOC-4).
  #
  # What one asks it never changes. It needs no lock: {#changed} leaves it as it is. Only one change at a time may be
  # made, each from the snapshot that was published last; one that is given up half-way leaves nothing behind but slots
  # that hold no document.
  class MemorySnapshot
    include ShortInspect

    FEWEST_DEAD_SLOTS = 1024
    MOST_ROOMS = 8

    # @return [Integer] how many batches have changed something
    attr_reader :generation

    # @param bm25 [Bm25] the formula
    # @param vocabulary [Vocabulary] numbers the tokens of all documents of the store
    # @param generation [Integer] how many batches have changed something
    def initialize(bm25, vocabulary, generation = 0)
      @bm25 = bm25
      @vocabulary = vocabulary
      @generation = generation
      @table = DocumentTable.new
      @text_indexes = {}
      @dense_indexes = {}
      @best_fields = BestFields.new(@text_indexes)
      @masks = FilterMasks.new
      @rooms = []
    end

    # @return [Integer] how many documents there are
    def count
      @table.living.count
    end

    # @param identifier [String]
    # @return [Integer, nil] the slot of a document
    def slot(identifier)
      @table.slot(identifier)
    end

    # @param slot [Integer]
    # @return [StoredDocument] the document in it
    def stored(slot)
      found = @table.entry(slot)
      vectors = found.vector_fields.to_h { |field| [field, vector(slot, field)] }
      StoredDocument.new(found.identifier, found.fields, vectors)
    end

    # @param identifier [String]
    # @return [Hash{String=>Object}, nil] the fields of a document
    def get(identifier)
      slot = slot(identifier)
      slot && select(slot, nil)
    end

    # Where more slots would be dead than documents are left, a snapshot begins anew with those.
    #
    # @param removed [Array<Integer>] the slots of documents that are gone
    # @param added [Array<StoredDocument>] new documents; no others have their ids
    # @return [MemorySnapshot] the snapshot after a batch
    def changed(removed, added)
      left = count - removed.size + added.size
      following = MemorySnapshot.new(@bm25, @vocabulary, @generation + 1)
      if @table.living.dead + removed.size > [FEWEST_DEAD_SLOTS, left].max
        kept = (@table.slots - removed).map { |slot| stored(slot) }
        following.fill([], kept + added)
      else
        following.continue(@table, @text_indexes, @dense_indexes, @masks, @rooms)
        following.fill(removed, added)
      end
      following
    end

    # @param wanted [MemorySearch]
    # @return [SearchResult] the answer to a search
    def search(wanted)
      parsed = wanted.match
      dense = {}
      ranking = wanted.order.arrange(ranking(parsed, wanted.filters, dense)) { |identifier| fields_of(identifier) }
      page = Slices.part(ranking, wanted.offset, wanted.limit)
      slots = page.to_h { |identifier, _| [identifier, slot(identifier)] }
      entries = slots.each_value.map { |slot| @table.entry(slot) }
      SearchResult.new(
        total: ranking.size,
        ids: slots.keys,
        fields: slots.transform_values { |slot| select(slot, wanted.selected) },
        scores: page.to_h,
        query_vector: parsed.dense&.vector,
        highlight: highlights(entries, wanted.highlight_fields, Highlight.new(wanted.keywords)),
        aggs: aggregations(ranking, wanted.agg_fields),
        keywords: wanted.keywords,
        prepared: entries.filter_map { |found| [found.identifier, found.prepared] if found.prepared }.to_h,
        dense_scores: parsed.dense && DenseScores.new(parsed.dense.vector, dense.freeze)
      )
    end

    # @param parsed [MatchExprs]
    # @param filters [Filters]
    # @return [Array<Array(String, Float)>] the ranking of match expressions
    def rank(parsed, filters)
      ranking(parsed, filters, {})
    end

    # @param parsed [MatchExprs] with a text query
    # @param filters [Filters]
    # @return [Array<Array(String, Float)>] the documents that match it, at most its `topn`, by ORD-1
    def text_leg(parsed, filters)
      query = parsed.text
      limit = [query.topn, @table.living.limit].min
      slots, scores = with_room do |room|
        QueryEvaluator.new(@best_fields, @table.living.limit, *room)
                      .best(query.fields, query.clauses, limit, @masks.mask(filters, @table))
      end
      ranked(slots, scores, limit)
    end

    # @param parsed [MatchExprs] with a dense query
    # @param filters [Filters]
    # @return [Array<Array(String, Float)>] the documents nearest to its vector, at most its `topn`, only with enough
    #   similarity, by ORD-1
    def dense_leg(parsed, filters)
      query = parsed.dense
      index = @dense_indexes[query.field]
      return [] unless index

      limit = [query.topn, @table.living.limit].min
      slots, scores = index.best(query.vector, limit, query.similarity, @masks.mask(filters, @table))
      ranked(slots, scores, limit)
    end

    protected

    # Begin with what another snapshot has.
    def continue(table, text_indexes, dense_indexes, masks, rooms)
      @table = table
      @text_indexes.update(text_indexes)
      @dense_indexes.update(dense_indexes)
      @masks = masks
      @rooms = rooms
    end

    # Take documents out, and others in.
    def fill(removed, added)
      gone = removed.map { |slot| @table.entry(slot) }
      entries = added.map { |document| entry_of(document) }
      @table, first = @table.changed(removed, entries)
      index_texts(gone, entries, first)
      index_vectors(gone, added, first)
    end

    private

    def entry_of(document)
      _, first_vector = document.vectors.min_by { |field, _| field }
      prepared = PreparedDocument.prepare(@vocabulary, document.fields, first_vector)
      DocumentTable::Entry.new(document.identifier, document.fields, document.vectors.keys.freeze, prepared)
    end

    def index_texts(removed, added, first)
      gone = Hash.new { |values, field| values[field] = [] }
      fresh = Hash.new { |values, field| values[field] = [] }
      removed.each { |entry| searchable(entry) { |field, value| gone[field] << value } }
      added.each.with_index(first) do |entry, slot|
        searchable(entry) { |field, value| fresh[field] << [slot, value] }
      end
      (gone.keys | fresh.keys).each do |field|
        index = @text_indexes[field] || InvertedIndex.new(@bm25, StoredDocument.keyword_field?(field))
        @text_indexes[field] = index.changed(
          @table.living,
          gone[field].lazy.map { |value| StoredDocument.tokens(field, value) },
          fresh[field].lazy.map { |slot, value| [slot, StoredDocument.tokens(field, value)] }
        )
      end
    end

    def searchable(entry)
      entry.fields.each { |field, value| yield field, value if StoredDocument.searchable?(field) }
    end

    def index_vectors(removed, added, first)
      changes = Hash.new { |vectors, field| vectors[field] = [] }
      removed.each { |entry| entry.vector_fields.each { |field| changes[field] } }
      added.each.with_index(first) do |document, slot|
        document.vectors.each { |field, vector| changes[field] << [slot, vector] }
      end
      changes.each do |field, vectors|
        index = @dense_indexes[field] || DenseIndex.new(StoredDocument.vector_dimension(field, field))
        rows = vectors.map { |slot, vector| [slot, vector, Numeric.norm(vector)] }
        @dense_indexes[field] = index.changed(@table.living, rows)
      end
    end

    def vector(slot, field)
      @dense_indexes.fetch(field).vector(slot)
    end

    def fields_of(identifier)
      @table.entry(slot(identifier)).fields
    end

    def select(slot, selected)
      found = @table.entry(slot)
      names = selected || (found.fields.keys + found.vector_fields)
      names.each_with_object({}) do |name, fields|
        if found.fields.key?(name) then fields[name] = found.fields[name]
        elsif found.vector_fields.include?(name) then fields[name] = vector(slot, name)
        end
      end
    end

    # The ranking; what the dense leg computes is added to `cosines`.
    def ranking(parsed, filters, cosines)
      dense = parsed.dense ? dense_leg(parsed, filters) : []
      dense.each { |identifier, cosine| cosines[identifier] = cosine }
      return Fusion.fuse(parsed.fusion, [text_leg(parsed, filters), dense], %w[min_max none]) if parsed.fusion
      return text_leg(parsed, filters) if parsed.text
      return dense if parsed.dense

      mask = @masks.mask(filters, @table)
      slots = @table.slots
      slots.select! { |slot| mask.getbyte(slot) == 1 } if mask
      @table.identifiers(slots).sort.map { |identifier| [identifier, 0.0] }
    end

    # A sum and a whole number for each slot, all zero, as they have to be given back.
    #
    # Should something interrupt the search, they are not.
    def with_room
      room = @rooms.pop || [[], []]
      missing = @table.living.limit - room[0].size
      room.zip([0.0, 0]) { |numbers, zero| numbers.concat(Array.new(missing, zero)) } if missing.positive?
      found = yield room
      @rooms.push(room) if @rooms.size < MOST_ROOMS
      found
    end

    def ranked(slots, scores, limit)
      Ordering.rank(@table.identifiers(slots).zip(scores)).take(limit)
    end

    def aggregations(ranking, fields)
      fields.to_h do |field|
        path = FieldPath.of(field)
        [field, Aggregations.count(ranking.map { |identifier, _| path.value(fields_of(identifier)) })]
      end
    end

    def highlights(entries, fields, highlight)
      entries.each_with_object({}) do |found, marked|
        fields.each do |field|
          value = found.fields[field]
          text = value.is_a?(::String) ? highlight.mark(value) : nil
          next unless text

          marked[found.identifier] = text
          break
        end
      end
    end
  end
end
