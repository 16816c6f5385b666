# frozen_string_literal: true

module HybridSearch
  # Which documents match a text query, and how well (DOC-3).
  #
  # Evaluates clauses over the inverted indexes of a store. Per clause the best field counts: the highest of field boost
  # · score, over the fields where the clause matches. That, times the clause's boost, is added up over the clauses from
  # left to right, beginning at 0.0.
  class QueryEvaluator
    # @param indexes [Hash{String=>InvertedIndex}] field → its inverted index
    # @param slots [Integer] how many slots there are; all slots are below
    # @param totals [Array<Float>] room for a sum per slot, all 0.0; it comes back as it was
    def initialize(indexes, slots, totals)
      @indexes = indexes
      @slots = slots
      @totals = totals
    end

    # @param fields [Array<Array(String, Float)>] field names and boosts
    # @param query [QueryClauses]
    # @param limit [Integer] how many documents will be wanted at the most; 0 or more
    # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
    # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
    #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be left out
    def best(fields, query, limit, allowed)
      matched = query.clauses.map { |clause| [clause.boost, field_postings(fields, clause)] }
      postings = matched.filter_map { |boost, found| best_field(boost, found) unless found.empty? }
      return [[], []] if postings.empty? || limit.zero? || query.required > query.alternatives.size

      counted = allowed
      if query.required > 1
        enough = enough_alternatives(query, matched.map { |_, found| found })
        counted = allowed ? both(enough, allowed) : enough
      end
      slots, scores = totals(postings, counted ? nil : reached(matched, limit))
      slots, scores = keep(slots, scores) { |index| counted.getbyte(slots[index]) == 1 } if counted
      if slots.size > limit
        least = scores.max(limit)[-1]
        slots, scores = keep(slots, scores) { |index| scores[index] >= least }
      end
      [slots, scores]
    end

    private

    def field_postings(fields, clause)
      fields.filter_map do |field, boost|
        posting = @indexes[field]&.posting(clause.tokens, clause.slop)
        [boost, posting] if posting
      end
    end

    # The sums over clauses in their order, of all documents or of those that reach a score above 0.
    def totals(postings, at_least)
      totals = @totals
      postings.each { |slots, scores| add(totals, slots, scores) }
      at_least ? reaching(totals, postings, at_least) : touched(totals, postings)
    end

    def add(totals, slots, scores)
      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        totals[slot] += scores[index]
        index += 1
      end
    end

    # Every sum goes back to 0.0 when it is read, so a document is taken once.
    def reaching(totals, postings, at_least)
      found = []
      sums = []
      postings.each do |slots, _scores|
        index = 0
        size = slots.size
        while index < size
          slot = slots[index]
          total = totals[slot]
          if total >= at_least
            found << slot
            sums << total
          end
          totals[slot] = 0.0
          index += 1
        end
      end
      [found, sums]
    end

    def touched(totals, postings)
      seen = "\0".b * @slots
      found = []
      sums = []
      postings.each do |slots, _scores|
        slots.each do |slot|
          next if seen.getbyte(slot) == 1

          seen.setbyte(slot, 1)
          found << slot
          sums << totals[slot]
          totals[slot] = 0.0
        end
      end
      [found, sums]
    end

    def enough_alternatives(query, found)
      counts = Array.new(@slots, 0)
      last = Array.new(@slots, -1)
      query.alternatives.each_with_index do |alternative, number|
        alternative.each do |place|
          found[place].each do |_, posting|
            posting.slots.each do |slot|
              next if last[slot] == number

              last[slot] = number
              counts[slot] += 1
            end
          end
        end
      end
      counts.map { |count| count >= query.required ? 1 : 0 }.pack("C*")
    end

    def both(left, right)
      left.unpack("C*").zip(right.unpack("C*")).map { |a, b| a & b }.pack("C*")
    end

    def keep(slots, scores, &)
      kept = slots.each_index.select(&)
      [slots.values_at(*kept), scores.values_at(*kept)]
    end

    # The slots of a clause and what it adds to each.
    def best_field(clause_boost, found)
      boost, posting = found[0]
      return [posting.slots, times(clause_boost, times(boost, posting.scores))] if found.size == 1

      best = {}
      found.each do |field_boost, field_posting|
        scores = times(field_boost, field_posting.scores)
        field_posting.slots.each_with_index do |slot, index|
          known = best[slot]
          best[slot] = scores[index] if known.nil? || scores[index] > known
        end
      end
      [best.keys, times(clause_boost, best.values)]
    end

    def times(boost, scores)
      boost == 1 ? scores : scores.map { |score| boost * score }
    end

    # A score above 0 that at least `limit` documents reach or surpass, or nil if there is no easy one.
    #
    # No clause takes anything away from a document when no score is below 0; so as many documents as reach a score in
    # one clause reach it in all.
    def reached(matched, limit)
      best = 0.0
      matched.each do |clause_boost, found|
        found.each do |field_boost, posting|
          return nil if posting.lowest.negative?

          score = posting.nth(limit)
          next unless score

          score = clause_boost * (field_boost * score)
          best = score if score > best
        end
      end
      best.positive? ? best : nil
    end
  end
end
