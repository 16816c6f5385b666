# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the scores of a bag of tokens over several fields (DOC-9).
    #
    # The postings of tokens are cached.
    class Bm25fPostings < FieldPostings
      # The number of postings that a text query caches: by field and by the best field. This cache has room for as
      # much.
      LEVELS = 2
      K1 = Stores::Snapshot::Bm25f::K1
      B = Stores::Snapshot::Bm25f::B
      # The divisor of a share in an empty field.
      SHORTEST = 1.0 - B
      private_constant :LEVELS, :K1, :B, :SHORTEST

      # @param query [Stores::Queries::MatchExprs::Bm25fQuery] the tokens
      # @param documents [Integer] the number of documents
      # @param limit [Integer] the maximum number of wanted documents
      # @param sums [BestSums] finds the best sums
      # @param allowed [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents with a score, among them the
      #   best `limit` with all ties of the last
      def best(query, documents, limit, sums, allowed)
        matched = query.counts.filter_map do |token, count|
          posting = kept_posting(query.fields, token, documents)
          [count.to_f, posting] if posting
        end
        return [[], []] if matched.empty? || limit.zero?

        slots, scores = sums.best(matched, limit, allowed)
        return [slots, scores] if scores.all?(&:positive?)

        scored = slots.zip(scores).select { |_, score| score.positive? }
        [scored.map(&:first), scored.map(&:last)]
      end

      private

      def kept_posting(fields, token, documents)
        key = [fields, token]
        known, posting = @kept.find(key)
        return posting if known

        posting = make_posting(fields, token, documents)
        tokens = @indexes.each_value.sum(&:tokens) # whole numbers
        @kept.keep(key, posting, LEVELS * tokens)
        posting
      end

      def make_posting(fields, token, documents)
        slots, totals = fields.filter_map { |field, weight| part(field, weight, token) }
                              .inject { |one, other| merged(*one, *other) }
        return nil if slots.nil?

        idf = Stores::Snapshot::Bm25f.idf(documents, slots.size)
        scores = totals.map { |total| idf * (total / (total + K1)) } # as `Bm25f.score` of one occurrence
        Posting.new(slots, scores, @indexes.each_value.map(&:slots).max)
      end

      # Return the documents of a field that contain a token, and the field's share in its frequency.
      def part(field, weight, token)
        index = @indexes[field]
        slots, counts, lengths = index&.counts([token], 0)
        return if slots.nil?

        [slots, shares(weight, counts, lengths, index.average_filled_length)]
      end

      # Return what `Bm25f.frequency` returns for each document; a call for each would take twice as long.
      def shares(weight, counts, lengths, average_length)
        shares = []
        place = 0
        size = counts.size
        while place < size
          shares << (weight * counts[place] / (SHORTEST + (B * lengths[place] / average_length)))
          place += 1
        end
        shares
      end

      # Return the documents of both, ascending, and the sums of their shares.
      def merged(slots, shares, other_slots, other_shares)
        return [slots, shares.zip(other_shares).map { |one, other| one + other }] if slots == other_slots

        place = other = 0
        found = []
        sums = []
        while place < slots.size || other < other_slots.size
          slot = slots[place]
          other_slot = other_slots[other]
          if other_slot.nil? || (slot && slot < other_slot)
            found << slot
            sums << shares[place]
            place += 1
          else
            is_both = slot == other_slot
            found << other_slot
            sums << (is_both ? shares[place] + other_shares[other] : other_shares[other])
            place += 1 if is_both
            other += 1
          end
        end
        [found, sums]
      end
    end
  end
end
