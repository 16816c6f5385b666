# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the best sums of the scores of clauses (DOC-3, DOC-9) among documents, in the stated order.
    class BestSums
      include Base::ShortInspect

      # The part of a sum that the rounding of its additions may lose, much more than ever is.
      ROUNDING = 1e-9
      private_constant :ROUNDING

      # @param slots [Integer] the number of slots; all slots are below
      # @param totals [Array<Float>] room for a sum per slot, all 0.0; it is all 0.0 again afterwards
      # @param steps [Array<Integer>] the same for whole numbers, all 0
      def initialize(slots, totals, steps)
        @slots = slots
        @all_totals = totals
        @candidates = TextCandidates.new(slots, steps)
      end

      # @param matched [Array<Array(Float, Posting)>] boost and posting of each clause that matches somewhere; at least
      #   one
      # @param limit [Integer] the maximum number of wanted documents; 1 or more
      # @param counted [String, nil] for each slot a byte, 1 if it counts; nil if all do
      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
      #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be missing
      def best(matched, limit, counted)
        slots, scores = sums(matched, limit, counted)
        if slots.size > limit
          least = scores.max(limit)[-1]
          slots, scores = keep(slots, scores) { |index| scores[index] >= least }
        end
        [slots, scores]
      end

      # Return sums of which each may differ from the exact one by a part of it.
      #
      # @param matched [Array<Array(Float, Posting)>] as for {#best}
      # @param counted [String, nil] as for {#best}
      # @return [Array(Array<Integer>, Array<Float>, Float), nil] the slots of all documents that match and count, their
      #   sums, and the part; nil if all sums are exact anyway, or if a score may not be above 0.0
      def near(matched, counted)
        doubt = matched.map { |_, posting| posting.doubt }.max
        return nil unless doubt.positive? && above_zero?(matched)

        slots, sums = totals(matched, &:near_scores)
        slots, sums = keep(slots, sums) { |index| counted.getbyte(slots[index]) == 1 } if counted
        [slots, sums, doubt + ROUNDING]
      end

      # @param matched [Array<Array(Float, Posting)>] as for {#best}
      # @param slot [Integer]
      # @return [Float] the sum of a document
      def exact_sum(matched, slot)
        sum = 0.0
        matched.each { |boost, posting| sum += boost * posting.score_at(slot) }
        sum
      end

      # @param alternatives [Array<Array<Posting>>] the postings of each alternative, of which one is sufficient
      # @param required [Integer] the number of alternatives that must match
      # @param allowed [String, nil] for each slot a byte, 1 if it counts; nil if all do
      # @return [String] for each slot a byte, 1 if it counts and matches enough alternatives
      def enough(alternatives, required, allowed)
        counts = Array.new(@slots, 0)
        last = Array.new(@slots, -1)
        alternatives.each_with_index do |alternative, number|
          alternative.each do |posting|
            posting.slots.each do |slot|
              next if last[slot] == number

              last[slot] = number
              counts[slot] += 1
            end
          end
        end
        enough = counts.map { |count| count >= required ? 1 : 0 }
        enough = enough.zip(allowed.unpack("C*")).map { |left, right| left & right } if allowed
        enough.pack("C*")
      end

      private

      # Return the documents that count and may be among the best, or all that match and count.
      def sums(matched, limit, counted)
        slots = @candidates.find(matched, limit, counted)
        return [slots, slots.map { |slot| exact_sum(matched, slot) }] if slots

        slots, scores = totals(matched, &:scores)
        counted ? keep(slots, scores) { |index| counted.getbyte(slots[index]) == 1 } : [slots, scores]
      end

      # Return the sums over clauses in their order, of all documents that match. The block returns the scores of a
      # posting.
      def totals(matched)
        totals = @all_totals
        matched.each { |boost, posting| add(totals, posting.slots, yield(posting), boost) }
        found = []
        sums = []
        seen = above_zero?(matched) ? nil : ("\0".b * @slots)
        matched.each { |_, posting| take(totals, posting.slots, seen, found, sums) }
        [found, sums]
      end

      # Return whether all sums are above 0.0: then a slot whose sum was taken can be recognized by its 0.0.
      def above_zero?(matched)
        matched.all? { |boost, posting| boost * posting.lowest > 0.0 }
      end

      # Take the sums of slots that were not taken before, and reset them to 0.0.
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

      def keep(slots, scores, &)
        kept = slots.each_index.select(&)
        [kept.map { |index| slots[index] }, kept.map { |index| scores[index] }]
      end
    end
  end
end
