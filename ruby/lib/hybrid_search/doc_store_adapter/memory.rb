# frozen_string_literal: true

require "monitor"

module HybridSearch
  # Documents in memory (DOC-1 … DOC-4), with an inverted index for each token and keyword field and one for each vector
  # field.
  #
  # Safe to use from several threads: every method sees all of a batch or nothing of it. `rank_feature` is left to the
  # reranker. The statistics of BM25 are those of one field over all documents that have it, be it empty; they do not
  # depend on filters, on the order of insertion, or on what has been deleted. Values that come out are frozen.
  class MemoryDocStore < DocStoreAdapter
    FEWEST_DEAD_SLOTS = 1024
    MOST_FILTER_MASKS = 16

    # A document in its slot, never changed.
    class Entry
      # @return [String] its id
      attr_reader :identifier
      # @return [Hash{String=>Object}] its fields but the vectors
      attr_reader :fields
      # @return [Array<String>] the names of its vector fields
      attr_reader :vector_fields
      # @return [PreparedDocument, nil] what the hybrid rerank needs of it
      attr_reader :prepared

      def initialize(identifier, fields, vector_fields, prepared)
        @identifier = identifier
        @fields = fields
        @vector_fields = vector_fields
        @prepared = prepared
        freeze
      end
    end

    # @return [Integer] how many batches have changed something
    attr_reader :generation

    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @raise [InvalidInputError] another value of `bm25`, or an unknown option
    def initialize(bm25: "okapi", **unknown)
      super()
      Validation.known("option", unknown.keys, ["bm25"])
      @bm25 = Bm25.of(bm25)
      @lock = Monitor.new
      @vocabulary = Vocabulary.new
      @generation = 0
      clear
    end

    # @see DocStoreAdapter#insert
    def insert(documents)
      accepted = accept_all(documents)
      @lock.synchronize do
        accepted.each_with_index do |document, index|
          next unless @slot_of.key?(document.identifier)

          shown = Validation.describe(document.identifier)
          raise InvalidInputError, "documents[#{index}].id #{shown} is already stored; use update"
        end
        accepted.each { |document| add(document) }
        changed(accepted.size)
      end
      accepted.size
    end

    # @see DocStoreAdapter#update
    def update(documents)
      accepted = accept_all(documents)
      @lock.synchronize do
        changes = accepted.each_with_index.filter_map { |document, index| change("documents[#{index}]", document) }
        changes.each do |slot, merged|
          remove(slot)
          add(merged)
        end
        changed(changes.size)
        changes.size
      end
    end

    # @see DocStoreAdapter#delete
    def delete(identifiers)
      checked = Validation.texts("identifiers", identifiers)
      @lock.synchronize do
        removed = 0
        checked.each do |identifier|
          slot = @slot_of[identifier]
          next unless slot

          remove(slot)
          removed += 1
        end
        changed(removed)
        removed
      end
    end

    # @see DocStoreAdapter#get
    def get(identifier)
      checked = Validation.text("identifier", identifier)
      @lock.synchronize do
        slot = @slot_of[checked]
        slot && select(slot, nil)
      end
    end

    # @see DocStoreAdapter#count
    def count
      @slot_of.size
    end

    # @see DocStoreAdapter#health
    def health
      @lock.synchronize { { "status" => "green", "documents" => count, "generation" => generation } }
    end

    # @see DocStoreAdapter#search
    def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0,
               rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: [])
      selected = select_fields.nil? ? nil : Validation.texts("select_fields", select_fields)
      parsed = MatchExprs.new(match_exprs)
      accepted = Filters.new(filters)
      order = SortOrder.new(order_by)
      first = Validation.integer("offset", offset, 0)
      size = Validation.integer("limit", limit, 0)
      Validation.mapping("rank_feature", rank_feature.nil? ? {} : rank_feature)
      marked = Validation.texts("highlight_fields", highlight_fields)
      counted = Validation.texts("agg_fields", agg_fields)
      words = Validation.texts("keywords", keywords)
      @lock.synchronize do
        dense = {}
        ranking = order.arrange(ranking_of(parsed, accepted, dense)) { |identifier| fields_of(identifier) }
        page = ranking.drop(first).take(size)
        entries = page.map { |identifier, _| entry(@slot_of.fetch(identifier)) }
        SearchResult.new(
          total: ranking.size,
          ids: page.map(&:first),
          fields: entries.to_h { |found| [found.identifier, select(@slot_of.fetch(found.identifier), selected)] },
          scores: page.to_h,
          query_vector: parsed.dense&.vector,
          highlight: highlights(entries, marked, Highlight.new(words)),
          aggs: counted.to_h do |field|
            [field, Aggregations.count(ranking.map { |identifier, _| fields_of(identifier)[field] })]
          end,
          keywords: words,
          prepared: entries.filter_map { |found| [found.identifier, found.prepared] if found.prepared }.to_h,
          dense_scores: parsed.dense && DenseScores.new(parsed.dense.vector, dense.freeze)
        )
      end
    end

    # @see DocStoreAdapter#rank
    def rank(match_exprs, filters = nil)
      parsed = MatchExprs.new(match_exprs)
      accepted = Filters.new(filters)
      @lock.synchronize { ranking_of(parsed, accepted, {}) }
    end

    # @param expr [MatchTextExpr]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] the documents that match a text query, at most its `topn`, by ORD-1
    def text_leg(expr, filters = nil)
      query = MatchExprs.new([expr])
      accepted = Filters.new(filters)
      @lock.synchronize { text_ranking(query, accepted) }
    end

    # @param expr [MatchDenseExpr]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] the documents nearest to a vector, at most its `topn`, only with enough
    #   similarity, by ORD-1
    def dense_leg(expr, filters = nil)
      query = MatchExprs.new([expr])
      accepted = Filters.new(filters)
      @lock.synchronize { dense_ranking(query, accepted) }
    end

    private

    def clear
      @entries = []
      @slot_of = {}
      @text_indexes = {}
      @best_fields = BestFields.new(@text_indexes)
      @dense_indexes = {}
      @masks = {}
      @totals = [[], []]
    end

    def changed(documents)
      if documents.positive?
        @generation += 1
        @best_fields.forget
      end
      dead = @entries.size - @slot_of.size
      return unless dead > [FEWEST_DEAD_SLOTS, @slot_of.size].max

      stored = @entries.each_index.filter_map { |slot| stored_document(slot) if @entries[slot] }
      clear
      stored.each { |document| add(document) }
    end

    def add(document)
      slot = @entries.size
      first_vector = nil
      document.vectors.sort.each do |field, vector|
        first_vector ||= vector
        (@dense_indexes[field] ||= DenseIndex.new(vector.size)).add(slot, vector, Numeric.norm(vector))
      end
      document.fields.each do |field, value|
        next unless StoredDocument.searchable?(field)

        @text_indexes[field] ||= InvertedIndex.new(@bm25, StoredDocument.keyword_field?(field))
        @text_indexes[field].add(slot, StoredDocument.tokens(field, value))
      end
      prepared = PreparedDocument.prepare(@vocabulary, document.fields, first_vector)
      @entries << Entry.new(document.identifier, document.fields, document.vectors.keys.freeze, prepared)
      @slot_of[document.identifier] = slot
    end

    def remove(slot)
      removed = entry(slot)
      removed.vector_fields.each { |field| @dense_indexes.fetch(field).remove(slot) }
      removed.fields.each do |field, value|
        next unless StoredDocument.searchable?(field)

        @text_indexes.fetch(field).remove(slot, StoredDocument.tokens(field, value))
      end
      @slot_of.delete(removed.identifier)
      @entries[slot] = nil
    end

    def entry(slot)
      @entries.fetch(slot)
    end

    def fields_of(identifier)
      entry(@slot_of.fetch(identifier)).fields
    end

    def vector_of(slot, field)
      @dense_indexes.fetch(field).vector(slot)
    end

    def stored_document(slot)
      found = entry(slot)
      vectors = found.vector_fields.to_h { |field| [field, vector_of(slot, field)] }
      StoredDocument.new(found.identifier, found.fields, vectors)
    end

    def select(slot, selected)
      found = entry(slot)
      names = selected || (found.fields.keys + found.vector_fields)
      names.each_with_object({}) do |name, fields|
        if found.fields.key?(name) then fields[name] = found.fields[name]
        elsif found.vector_fields.include?(name) then fields[name] = vector_of(slot, name)
        end
      end
    end

    # The ranking; what the dense leg computes is added to `cosines`.
    def ranking_of(parsed, filters, cosines)
      dense = parsed.dense ? dense_ranking(parsed, filters) : []
      dense.each { |identifier, cosine| cosines[identifier] = cosine }
      return Fusion.fuse(parsed.fusion, [text_ranking(parsed, filters), dense], %w[min_max none]) if parsed.fusion
      return text_ranking(parsed, filters) if parsed.text
      return dense if parsed.dense

      mask = mask_of(filters)
      found = @slot_of.filter_map { |identifier, slot| identifier if mask.nil? || mask.getbyte(slot) == 1 }
      found.sort.map { |identifier| [identifier, 0.0] }
    end

    def text_ranking(parsed, filters)
      query = parsed.text
      # Should something interrupt the search, the sums are not given back but begun anew.
      totals = @totals
      @totals = [[], []]
      missing = @entries.size - totals[0].size
      totals.zip([0.0, 0]) { |room, zero| room.concat(Array.new(missing, zero)) }
      slots, scores = QueryEvaluator.new(@best_fields, @entries.size, *totals)
                                    .best(query.fields, query.clauses, query.topn, mask_of(filters))
      @totals = totals
      ranked(slots, scores, query.topn)
    end

    def dense_ranking(parsed, filters)
      query = parsed.dense
      index = @dense_indexes[query.field]
      return [] unless index

      slots, scores = index.best(query.vector, query.topn, query.similarity, mask_of(filters))
      ranked(slots, scores, query.topn)
    end

    def ranked(slots, scores, limit)
      pairs = slots.each_index.map { |index| [entry(slots[index]).identifier, scores[index]] }
      Ordering.rank(pairs).take(limit)
    end

    # For each slot a byte, 1 when its document passes; nil when all do. What is known of older slots is kept.
    def mask_of(filters)
      return nil if filters.empty?

      if filters.identifiers
        mask = "\0".b * @entries.size
        filters.identifiers.each do |identifier|
          slot = @slot_of[identifier]
          mask.setbyte(slot, 1) if slot && passes?(slot, filters)
        end
        return mask
      end
      mask = @masks.delete(filters.key) || "".b
      mask << (passes?(mask.bytesize, filters) ? 1 : 0) while mask.bytesize < @entries.size
      @masks[filters.key] = mask
      @masks.shift if @masks.size > MOST_FILTER_MASKS
      mask
    end

    def passes?(slot, filters)
      found = @entries[slot]
      !found.nil? && filters.accepts?(found.identifier, found.fields, found.vector_fields)
    end

    def accept_all(documents)
      raise Validation.failure("documents", documents, "a list of documents") unless documents.is_a?(::Array)

      accepted = documents.each_with_index.map do |document, index|
        StoredDocument.accept("documents[#{index}]", document)
      end
      seen = {}
      accepted.each_with_index do |document, index|
        if seen.key?(document.identifier)
          raise InvalidInputError, "documents[#{index}].id #{Validation.describe(document.identifier)} is given twice"
        end

        seen[document.identifier] = true
      end
      accepted
    end

    # The slot of a stored document and what it becomes; nil when it stays the same.
    def change(name, document)
      slot = @slot_of[document.identifier]
      unless slot
        raise InvalidInputError, "#{name}.id #{Validation.describe(document.identifier)} is not stored; use insert"
      end

      stored = stored_document(slot)
      merged = merge(stored, document)
      [slot, merged] unless same_document?(stored, merged)
    end

    def merge(stored, changes)
      fields = stored.fields.merge(changes.fields).except(*changes.missing)
      vectors = stored.vectors.merge(changes.vectors).except(*changes.missing)
      StoredDocument.new(stored.identifier, fields, vectors)
    end

    def same_document?(left, right)
      StoredDocument.same_value?(left.fields, right.fields) && left.vectors == right.vectors
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
