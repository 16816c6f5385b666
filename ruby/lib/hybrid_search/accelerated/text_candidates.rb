# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the documents that may be among the best for some clauses, by approximate sums (DOC-3).
    #
    # Scores are added up in whole steps, rounded up. Clauses come from the rarest to the most common one. The search
    # for more documents ends when enough documents have sums that those with only the remaining clauses cannot reach.
    # Documents found so far that can still be among the best get the other clauses too, the weightiest first.
    class TextCandidates
      include Base::ShortInspect

      LARGEST_LIMIT = 128
      LARGEST_FACTOR = 4096
      LARGEST_SCORE = 1e6
      # The leaders of lists up to this length are not looked up in the other lists.
      FEW = 256
      # Adding up one list entry takes as long as this many slots of {CommonSums}.
      SLOTS_PER_ENTRY = 20

      # A clause of a query: its posting, the factor of its steps, and the maximum that it can add.
      Weighted = Struct.new(:posting, :factor, :most)

      # The contribution of the remaining clauses to a document: the byte of its slot, `offset` bytes on, times `unit`,
      # and `rest`, which may be below 0; together at most `most`. `least` is the sum that a document must be able to
      # reach.
      RemainingSum = Struct.new(:bytes, :offset, :unit, :rest, :most, :least) do
        # @return [Integer] the contribution of the byte of a slot
        def of(slot)
          (bytes.getbyte(slot + offset) || 0) * unit
        end
      end

      # @param slots [Integer] the number of slots; all slots are below
      # @param totals [Array<Integer>] room for a number per slot, all 0; it is all 0 again afterwards
      def initialize(slots, totals)
        @slots = slots
        @totals = totals
      end

      # @param matched [Array<Array(Float, Posting)>] the clauses, each with its boost
      # @param limit [Integer] the maximum number of wanted documents, 1 or more
      # @param counted [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      # @return [Array<Integer>, nil] the slots of documents that match, pass, and may be among the best `limit`; nil if
      #   steps do not decide
      def find(matched, limit, counted)
        return nil unless limit <= LARGEST_LIMIT && matched.size > 1 && tellable?(matched)

        clauses = weighted(matched)
        slack = 1 + clauses.inject(0) { |sum, clause| sum + excess(clause) }
        reached, done = add_rarest(clauses, limit, slack, counted)
        rarest = clauses.take(done)
        return clear(rarest) unless reached > slack

        left = clauses.drop(done).sort_by.with_index { |clause, place| [-clause.most, place] }
        slots, sums = reaching(rarest, left, limit, reached - slack, slack, counted)
        return slots if slots.size <= limit

        least = sums.max(limit)[-1] - slack
        slots.each_index.filter_map { |index| slots[index] if sums[index] >= least }
      end

      private

      # Return whether whole steps represent the scores well enough.
      def tellable?(matched)
        largest = matched.map(&:first).max
        largest > 1 / LARGEST_SCORE && largest < LARGEST_SCORE &&
          matched.all? { |_, posting| posting.lowest >= 0.0 && posting.highest < LARGEST_SCORE }
      end

      # Return the clauses, common ones last, otherwise the rarest first. Their factors are the boosts, scaled so that
      # the largest is {LARGEST_FACTOR}, rounded up; 1 if all boosts are equal.
      def weighted(matched)
        boosts = matched.map(&:first)
        largest = boosts.max
        equal = largest == boosts.min
        clauses = matched.map do |boost, posting|
          factor = equal ? 1 : (boost / largest * LARGEST_FACTOR).ceil
          Weighted.new(posting, factor, posting.highest_step * factor)
        end
        clauses.sort_by.with_index do |clause, place|
          [clause.posting.common? ? 1 : 0, clause.posting.slots.size, place]
        end
      end

      # Return the largest excess of a sum for a clause: steps are up to {Posting#unit} too many, a factor above 1 up to
      # 1.
      def excess(clause)
        unit = clause.posting.unit
        clause.factor == 1 ? unit : (unit * clause.factor) + clause.posting.highest_step + unit
      end

      # Return the maximum that clauses can add.
      def most(clauses)
        clauses.inject(0) { |sum, clause| sum + clause.most }
      end

      # Add up clauses until no document with only the others can be among the best, or until all others are common and
      # reading what they add to every document is less work.
      #
      # @return [Array(Integer, Integer)] the lowest sum of the best `limit` documents, and the number of added clauses
      def add_rarest(clauses, limit, slack, counted)
        rest = most(clauses)
        reached = done = entries = 0
        leaders = nil
        while done < clauses.size && rest >= reached - slack
          clause = clauses[done]
          if leaders && clause.posting.slots.size > FEW
            reached = [reached, last_of(leaders, clauses.drop(done))].max
            leaders = nil
            next
          end
          entries += clause.posting.slots.size if clause.posting.common?
          break if entries * SLOTS_PER_ENTRY > @slots && reached > slack && summable?(clauses.drop(done))

          leaders = add(clause, limit, reached, counted) || leaders
          reached = leaders[-1] / @slots if leaders
          rest -= clause.most
          done += 1
        end
        reached = [reached, last_of(leaders, clauses.drop(done))].max if leaders
        [reached, done]
      end

      def summable?(clauses)
        clauses.all? do |clause|
          clause.factor == 1 && clause.posting.common?
        end && !CommonSums.unit(postings(clauses)).nil?
      end

      def postings(clauses)
        clauses.map(&:posting)
      end

      # Add up a clause. If `limit` of its documents have more than was reached, return the best of them, the best
      # first, each as sum · number of slots + slot.
      def add(clause, limit, reached, counted)
        better = add_up(clause, reached, counted)
        better.size < limit ? nil : better.max(limit)
      end

      def add_up(clause, reached, counted)
        slots = clause.posting.slots
        totals = @totals
        steps = clause.posting.steps
        index = -1
        better = []
        factor = clause.factor
        size = slots.size
        while (index += 1) < size
          slot = slots[index]
          total = totals[slot] + (steps[index] * factor)
          totals[slot] = total
          better << ((total * @slots) + slot) if total > reached && (counted.nil? || counted.getbyte(slot) == 1)
        end
        better
      end

      # Return the lowest sum of some documents after all remaining clauses are added.
      #
      # @param leaders [Array<Integer>] the result of {#add}
      def last_of(leaders, left)
        sums = leaders.map do |leader|
          slot = leader % @slots
          left.inject(leader / @slots) { |sum, clause| sum + (clause.posting.step_at(slot) * clause.factor) }
        end
        sums.min
      end

      # Return the documents that can have `least`, or the higher sum that turns out to be needed, and their sums.
      def reaching(rarest, left, limit, least, slack, counted)
        rest = most(left)
        sums = CommonSums.new(postings(left), @slots) if rest >= least
        bound = sums ? RemainingSum.new(sums.bytes, 1, sums.unit, -sums.nothing, rest, least) : weightiest(left, least)
        found = []
        rarest.each { |clause| collect(clause, bound, counted, found) }
        if found.size > limit
          least = [least, last_of(found.max(limit).map { |entry| total_of(entry, bound) }, left) - slack].max
          enough = (least - bound.rest) * @slots
          found = found.select { |entry| entry >= enough }
        end
        found = found.map { |entry| total_of(entry, bound) }
        slots = found.map { |entry| entry % @slots }
        totals = found.map { |entry| entry / @slots }
        if sums && rest >= least
          others = sums.slots_with(least) - slots
          others.select! { |slot| counted.getbyte(slot) == 1 } if counted
          slots.concat(others)
          totals.concat(Array.new(others.size, 0))
        end
        narrow(slots, totals, left, least)
      end

      # Return an entry of {#collect} without the byte of the bound.
      def total_of(entry, bound)
        entry - (bound.of(entry % @slots) * @slots)
      end

      # Return the bound by the weightiest clause whose bytes are stored.
      def weightiest(left, least)
        first = left.find { |clause| clause.posting.common? }
        rest = most(left)
        return RemainingSum.new("", 0, 0, rest, rest, least) unless first

        RemainingSum.new(first.posting.bytes, 0, first.posting.unit * first.factor, rest - first.most, rest, least)
      end

      # Add to `found` the documents of one of the rarest clauses that can have enough, each as (total + byte of the
      # bound) · number of slots + slot; reset their totals to 0. A document in several lists is taken from the first.
      #
      # YJIT of Ruby 3.1 cannot compile `[a, b].max`: the rest of a method with it, and its loop, would be interpreted.
      def collect(clause, bound, counted, found)
        slots = clause.posting.slots
        totals = @totals
        bytes = bound.bytes
        index = -1
        size = slots.size
        enough = bound.least > bound.most ? bound.least - bound.most : 1
        needed = bound.least - bound.rest
        offset = bound.offset
        unit = bound.unit
        while (index += 1) < size
          slot = slots[index]
          total = totals[slot]
          totals[slot] = 0
          next if total < enough

          total += (bytes.getbyte(slot + offset) || 0) * unit
          next unless total >= needed && (counted.nil? || counted.getbyte(slot) == 1)

          found << ((total * @slots) + slot)
        end
      end

      # Add the remaining clauses, the weightiest first; exclude documents that can no longer reach `least`.
      def narrow(slots, sums, left, least)
        rest = most(left)
        left.each do |clause|
          rest -= clause.most
          slots, sums = added(slots, sums, clause, least - rest)
        end
        [slots, sums]
      end

      def added(slots, sums, clause, least)
        posting = clause.posting
        index = -1
        found = []
        enough = []
        factor = clause.factor
        size = slots.size
        while (index += 1) < size
          slot = slots[index]
          sum = sums[index] + (posting.step_at(slot) * factor)
          next if sum < least

          found << slot
          enough << sum
        end
        [found, enough]
      end

      def clear(rarest)
        totals = @totals
        rarest.each { |clause| clause.posting.slots.each { |slot| totals[slot] = 0 } }
        nil
      end
    end
  end
end
