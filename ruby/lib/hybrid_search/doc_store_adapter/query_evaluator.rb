# frozen_string_literal: true

module HybridSearch
  # Which documents match a text query, and how well (DOC-3).
  #
  # Evaluates clauses over the inverted indexes of a store. Per clause the best field counts: the highest of field boost
  # · score, over the fields where the clause matches. That, times the clause's boost, is added up over the clauses from
  # left to right, beginning at 0.0.
  class QueryEvaluator
    LARGEST_PRUNED_LIMIT = 128
    LARGEST_FACTOR = 4096
    LARGEST_SCORE = 1e6
    FEW = 256

    # @param best_fields [BestFields] what clauses score
    # @param slots [Integer] how many slots there are; all slots are below
    # @param totals [Array<Float>] room for a sum per slot, all 0.0; it comes back as it was
    # @param steps [Array<Integer>] the same for whole numbers, all 0
    # @param room [Array<Integer>] the same again
    def initialize(best_fields, slots, totals, steps, room)
      @best_fields = best_fields
      @slots = slots
      @all_totals = totals
      @all_steps = steps
      @room = room
    end

    # @param fields [Array<Array(String, Float)>] field names and boosts
    # @param query [QueryClauses]
    # @param limit [Integer] how many documents will be wanted at the most; 0 or more
    # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
    # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
    #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be left out
    def best(fields, query, limit, allowed)
      postings = query.clauses.map { |clause| @best_fields.posting(fields, clause) }
      matched = query.clauses.zip(postings).filter_map { |clause, posting| [clause.boost, posting] if posting }
      return [[], []] if matched.empty? || limit.zero? || query.required > query.alternatives.size

      counted = allowed
      if query.required > 1
        enough = enough_alternatives(query, postings)
        counted = allowed ? both(enough, allowed) : enough
      end
      prunable = limit <= LARGEST_PRUNED_LIMIT && matched.size > 1 && prunable?(matched)
      slots, scores = prunable ? pruned(matched, limit, counted) : totals(matched)
      slots, scores = keep(slots, scores) { |index| counted.getbyte(slots[index]) == 1 } if counted
      if slots.size > limit
        least = scores.max(limit)[-1]
        slots, scores = keep(slots, scores) { |index| scores[index] >= least }
      end
      [slots, scores]
    end

    private

    # The sums over clauses in their order, of all documents that match.
    def totals(matched)
      totals = @all_totals
      matched.each { |boost, posting| add(totals, posting.slots, posting.scores, boost) }
      found = []
      sums = []
      seen = above_zero?(matched) ? nil : ("\0".b * @slots)
      matched.each { |_, posting| take(totals, posting.slots, seen, found, sums) }
      [found, sums]
    end

    # Whether all sums are above 0.0: a slot whose sum was taken can then be told by its 0.0.
    def above_zero?(matched)
      matched.all? { |boost, posting| boost * posting.lowest > 0.0 }
    end

    # Takes the sums of slots that were not taken before; they go back to 0.0.
    def take(totals, slots, seen, found, sums)
      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        index += 1
        total = totals[slot]
        if seen
          next if seen.getbyte(slot) == 1

          seen.setbyte(slot, 1)
        elsif total <= 0.0
          next
        end
        found << slot
        sums << total
        totals[slot] = 0.0
      end
    end

    # The sums of documents that can be among the best `limit`, where no score is below 0.
    #
    # Clauses are added up from the rarest to the most common, in whole steps rounded up. As soon as so many documents
    # have so much that those with only the clauses left cannot reach them, no more documents are looked for, and with
    # every further clause those that can no longer reach them are left out. The few that stay are added up in floats,
    # in the order of the clauses.
    def pruned(matched, limit, counted)
      factors = factors_of(matched)
      order = matched.each_index.sort_by { |place| [matched[place][1].slots.size, place] }
      postings = order.map { |place| matched[place][1] }
      factors = order.map { |place| factors[place] }
      rest = rests(postings, factors)
      slack = 1 + postings.each_index.sum { |place| excess(postings[place], factors[place]) } # whole numbers
      reached = 0
      done = 0
      leaders = nil
      while done < postings.size && rest[done] >= reached - slack
        if leaders && postings[done].slots.size > FEW
          reached = [reached, whole_of_last(leaders, postings.drop(done), factors.drop(done))].max
          leaders = nil
        else
          found = add_steps(postings[done], factors[done], limit, reached, counted)
          done += 1
          next unless found

          leaders = found
          reached = leaders[-1] / @slots
        end
      end
      reached = [reached, whole_of_last(leaders, postings.drop(done), factors.drop(done))].max if leaders
      candidates, sums = taken(postings.take(done), reached - slack - rest[done], counted)
      return totals(matched) if reached <= slack

      left = postings.drop(done).zip(factors.drop(done))
      candidates = reaching(candidates, sums, left, limit, reached - slack)
      [candidates, candidates.map { |slot| exact_sum(matched, slot) }]
    end

    # The candidates that can still have `least` when the clauses that are left are added, the weightiest first.
    def reaching(candidates, sums, left, limit, least)
      weights = left.map { |posting, factor| posting.highest_step * factor }
      rest = weights.inject(0) { |sum, weight| sum + weight }
      order = left.each_index.sort_by { |place| [-weights[place], place] }
      order.each do |place|
        break if candidates.size <= limit

        left[place][0].add_steps_at(candidates, sums, left[place][1], @room)
        rest -= weights[place]
        candidates, sums = at_least(candidates, sums, least - rest)
      end
      candidates
    end

    # What the steps of each clause are multiplied with: its boosts, the largest as {LARGEST_FACTOR}, rounded up; 1
    # where all are equal.
    def factors_of(matched)
      boosts = matched.map(&:first)
      largest = boosts.max
      return boosts.map { 1 } if largest == boosts.min

      boosts.map { |boost| (boost / largest * LARGEST_FACTOR).ceil }
    end

    # How much a sum may be too high for a clause: each step, and each factor above 1, is up to 1 too much.
    def excess(posting, factor)
      factor == 1 ? 1 : factor + posting.highest_step + 1
    end

    # After each clause, the most that the clauses left can add.
    def rests(postings, factors)
      rest = [0]
      (postings.size - 1).downto(0) { |place| rest << (rest[-1] + (postings[place].highest_step * factors[place])) }
      rest.reverse
    end

    # The lowest of the sums of some documents when all clauses that are left are added.
    #
    # @param leaders [Array<Integer>] as {#add_steps} gives them
    def whole_of_last(leaders, postings, factors)
      slots = leaders.map { |leader| leader % @slots }
      sums = leaders.map { |leader| leader / @slots }
      postings.each_with_index { |posting, place| posting.add_steps_at(slots, sums, factors[place], @room) }
      sums.min
    end

    # Adds up; if `limit` documents of the clause have more than was reached, returns the best of them, the best first,
    # each as sum · number of slots + slot.
    def add_steps(posting, factor, limit, reached, counted)
      totals = @all_steps
      slots = posting.slots
      steps = posting.steps
      better = []
      all_slots = @slots
      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        total = totals[slot] + (steps[index] * factor)
        totals[slot] = total
        index += 1
        next unless total > reached && (counted.nil? || counted.getbyte(slot) == 1)

        better << ((total * all_slots) + slot)
      end
      better.size < limit ? nil : better.max(limit)
    end

    # The slots whose total is at least so much, above 0, and the totals, which all go back to 0. A slot that is in
    # several lists is taken from the first: after that its total is too small.
    def taken(postings, least, counted)
      totals = @all_steps
      found = []
      sums = []
      postings.each do |posting|
        slots = posting.slots
        index = 0
        size = slots.size
        while index < size
          slot = slots[index]
          total = totals[slot]
          if total >= least && (counted.nil? || counted.getbyte(slot) == 1)
            found << slot
            sums << total
          end
          totals[slot] = 0
          index += 1
        end
      end
      [found, sums]
    end

    def at_least(candidates, sums, least)
      found = []
      left = []
      index = 0
      size = candidates.size
      while index < size
        sum = sums[index]
        if sum >= least
          found << candidates[index]
          left << sum
        end
        index += 1
      end
      [found, left]
    end

    def add(totals, slots, scores, boost)
      return add_as_they_are(totals, slots, scores) if boost == 1

      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        totals[slot] += boost * scores[index]
        index += 1
      end
    end

    def add_as_they_are(totals, slots, scores)
      index = 0
      size = slots.size
      while index < size
        slot = slots[index]
        totals[slot] += scores[index]
        index += 1
      end
    end

    def exact_sum(matched, slot)
      sum = 0.0
      matched.each { |boost, posting| sum += boost * posting.score_at(slot) }
      sum
    end

    # Whether whole steps tell the scores well enough.
    def prunable?(matched)
      boost = matched.map(&:first).max
      boost > 1 / LARGEST_SCORE && boost < LARGEST_SCORE &&
        matched.all? { |_, posting| posting.lowest >= 0.0 && posting.highest < LARGEST_SCORE }
    end

    def enough_alternatives(query, postings)
      counts = Array.new(@slots, 0)
      last = Array.new(@slots, -1)
      query.alternatives.each_with_index do |alternative, number|
        alternative.each do |place|
          postings[place]&.slots&.each do |slot|
            next if last[slot] == number

            last[slot] = number
            counts[slot] += 1
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
      [kept.map { |index| slots[index] }, kept.map { |index| scores[index] }]
    end
  end
end
