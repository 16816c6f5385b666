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
      private_constant :LEVELS

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
        totals = {}
        fields.each { |field, weight| add(totals, field, weight, token) }
        return nil if totals.empty?

        slots = totals.keys.sort
        idf = Stores::Snapshot::Bm25f.idf(documents, slots.size)
        scores = slots.map { |slot| Stores::Snapshot::Bm25f.score(1, idf, totals[slot]) }
        Posting.new(slots, scores, @indexes.each_value.map(&:slots).max)
      end

      def add(totals, field, weight, token)
        index = @indexes[field]
        return unless index

        slots, counts, lengths = index.counts([token], 0)
        return if slots.nil?

        average_length = index.average_filled_length
        slots.each_with_index do |slot, place|
          added = Stores::Snapshot::Bm25f.frequency(weight, counts[place], lengths[place], average_length)
          totals[slot] = (totals[slot] || 0.0) + added
        end
      end
    end
  end
end
