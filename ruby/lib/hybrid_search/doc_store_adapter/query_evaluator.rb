# frozen_string_literal: true

module HybridSearch
  # Which documents match a text query, and how well (DOC-3).
  #
  # Evaluates clauses over the inverted indexes of a store. Per clause the best field counts: the highest of field boost
  # · score, over the fields where the clause matches. That, times the clause's boost, is added up over the clauses from
  # left to right, beginning at 0.0.
  class QueryEvaluator
    LARGEST_PRUNED_LIMIT = 128
    SLACK = 1e-9

    # @param indexes [Hash{String=>InvertedIndex}] field → its inverted index
    # @param slots [Integer] how many slots there are; all slots are below
    # @param totals [Array<Float>] room for a sum per slot, all 0.0; it comes back as it was
    def initialize(indexes, slots, totals)
      @indexes = indexes
      @slots = slots
      @all_totals = totals
    end

    # @param fields [Array<Array(String, Float)>] field names and boosts
    # @param query [QueryClauses]
    # @param limit [Integer] how many documents will be wanted at the most; 0 or more
    # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
    # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
    #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be left out
    def best(fields, query, limit, allowed)
      found = query.clauses.map { |clause| field_postings(fields, clause) }
      matched = query.clauses.zip(found).filter_map { |clause, postings| [clause.boost, postings] if postings.any? }
      return [[], []] if matched.empty? || limit.zero? || query.required > query.alternatives.size

      counted = allowed
      if query.required > 1
        enough = enough_alternatives(query, found)
        counted = allowed ? both(enough, allowed) : enough
      end
      pruned = counted.nil? && limit <= LARGEST_PRUNED_LIMIT && matched.size > 1 && none_below_zero?(matched)
      slots, scores = pruned ? pruned(matched, limit) : totals(matched)
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

    # The sums over clauses in their order, of all documents that match.
    def totals(matched)
      totals = @all_totals
      postings = matched.map { |boost, found| best_field(boost, found) }
      postings.each { |slots, scores| add(totals, slots, scores) }
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

    # The sums of documents that can be among the best `limit`; no score is below 0.
    #
    # Clauses are added up from the rarest to the most common. As soon as so many documents have so much that those with
    # only the clauses left cannot reach them, no more documents are looked for, and with every further clause those
    # that can no longer reach them are left out. The few that stay are added up anew, in the order of the clauses. Sums
    # in another order differ in the last bits only, and all comparisons leave room for more than that.
    def pruned(matched, limit)
      sizes = matched.map { |_, found| found.sum { |_, posting| posting.slots.size } }
      order = matched.each_index.sort_by { |place| [sizes[place], place] }
      rest = rests(matched, order)
      reached = 0.0
      done = []
      order.each_with_index do |place, step|
        slots, scores = best_field(*matched[place])
        done << slots
        reached = reached(add(@all_totals, slots, scores), limit, reached)
        break if rest[step + 1] < reached
      end
      candidates, sums = taken(@all_totals, done, reached - rest[done.size])
      return totals(matched) if reached.zero?

      order.drop(done.size).each.with_index(done.size + 1) do |place, step|
        clause = matched[place]
        sums = sums.each_with_index.map { |sum, index| sum + score_at(clause, candidates[index]) }
        reached = reached(sums, limit, reached)
        least = reached - rest[step]
        candidates, sums = keep(candidates, sums) { |index| sums[index] >= least }
      end
      [candidates, candidates.map { |slot| exact_sum(matched, slot) }]
    end

    # After each step of the order, the most that the clauses left can add.
    def rests(matched, order)
      rest = [0.0]
      order.reverse_each do |place|
        boost, found = matched[place]
        rest << (rest[-1] + (boost * found.map { |field_boost, posting| field_boost * posting.highest }.max))
      end
      rest.reverse
    end

    # A sum, less the slack, that `limit` documents reach or surpass; what was reached before if that is more.
    def reached(sums, limit, reached)
      return reached if sums.size < limit

      [reached, sums.max(limit)[-1] * (1.0 - SLACK)].max
    end

    # Adds up and returns the new sums.
    def add(totals, slots, scores)
      sums = Array.new(slots.size, 0.0)
      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        sums[index] = totals[slot] += scores[index]
        index += 1
      end
      sums
    end

    # The slots whose total is at least so much, above 0, and the totals, which all go back to 0.0. A slot that is in
    # several lists is taken from the first: after that its total is too small.
    def taken(totals, lists, least)
      found = []
      sums = []
      lists.each do |slots|
        index = 0
        size = slots.size
        while index < size
          slot = slots[index]
          total = totals[slot]
          if total >= least
            found << slot
            sums << total
          end
          totals[slot] = 0.0
          index += 1
        end
      end
      [found, sums]
    end

    def exact_sum(matched, slot)
      sum = 0.0
      matched.each { |clause| sum += score_at(clause, slot) }
      sum
    end

    # What a clause adds to a document that need not match it; no score is below 0.
    def score_at(clause, slot)
      boost, found = clause
      best = 0.0
      found.each do |field_boost, posting|
        score = field_boost * posting.score_at(slot)
        best = score if score > best
      end
      boost * best
    end

    def none_below_zero?(matched)
      matched.all? { |_, found| found.all? { |_, posting| posting.lowest >= 0.0 } }
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
  end
end
