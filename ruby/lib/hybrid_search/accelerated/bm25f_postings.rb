# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The text leg of a bag of tokens, whose documents are summed when they are needed (DOC-9).
    class Bm25fLeg
      include Base::ShortInspect

      # @return [Integer] the maximum number of documents
      attr_reader :limit

      # @param matched [Array<Array(Float, Posting)>] the count of each token, and its posting
      # @param limit [Integer] the maximum number of documents
      # @param sums [BestSums] finds the best sums
      # @param allowed [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      def initialize(matched, limit, sums, allowed)
        @matched = matched
        @limit = limit
        @sums = sums
        @allowed = allowed
      end

      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents with a score, among them the
      #   best `limit` with all ties of the last
      def best
        return [[], []] if @matched.empty? || @limit.zero?

        slots, scores = @sums.best(@matched, @limit, @allowed)
        return [slots, scores] if scores.all?(&:positive?)

        scored = slots.zip(scores).select { |_, score| score.positive? }
        [scored.map(&:first), scored.map(&:last)]
      end

      # @return [Array(Array<Integer>, Array<Float>, Float), nil] the slots of all documents with a score, numbers near
      #   these scores, and the part of a score by which one of them may differ from it; nil if {#best} is as fast
      def near
        @matched.empty? || @limit.zero? ? nil : @sums.near(@matched, @allowed)
      end

      # @param slot [Integer]
      # @return [Float] the score of a document; 0.0 if it is not among those with a score
      def score_at(slot)
        @allowed.nil? || @allowed.getbyte(slot) == 1 ? @sums.exact_sum(@matched, slot) : 0.0
      end
    end

    # Finds the scores of a bag of tokens over several fields (DOC-9).
    #
    # The postings of tokens are cached.
    class Bm25fPostings < FieldPostings
      # The number of postings that a text query caches: by field and by the best field. This cache has room for as
      # much.
      LEVELS = 2
      K1 = Stores::Snapshot::Bm25f::K1
      private_constant :LEVELS, :K1

      # @param indexes [Hash{String=>FastInvertedIndex}] as for {FieldPostings}
      # @param cache [CachedPostings] as for {FieldPostings}
      # @param known [KnownPostings, nil] the postings that earlier states have cached; nil without earlier states
      def initialize(indexes, cache = CachedPostings.new, known = nil)
        super(indexes, cache)
        @known = known
      end

      # @param query [Stores::Queries::MatchExprs::Bm25fQuery] the tokens
      # @param documents [Integer] the number of documents
      # @param limit [Integer] the maximum number of wanted documents
      # @param sums [BestSums] finds the best sums
      # @param allowed [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      # @return [Bm25fLeg] the leg of a query
      def leg(query, documents, limit, sums, allowed)
        matched = query.counts.filter_map do |token, count|
          posting = kept_posting(query.fields, token, documents)
          [count.to_f, posting] if posting
        end
        Bm25fLeg.new(matched, limit, sums, allowed)
      end

      private

      def kept_posting(fields, token, documents)
        key = [fields, token]
        known, posting = @kept.find(key)
        return posting if known

        posting = make_posting(key, documents)
        tokens = @indexes.each_value.sum(&:tokens) # whole numbers
        @kept.keep(key, posting, LEVELS * tokens)
        posting
      end

      def make_posting(key, documents)
        fields, token = key
        parts = fields.filter_map { |field, weight| part(field, weight, token) }
        return nil if parts.empty?

        all_slots = @indexes.each_value.map(&:slots).max
        @known&.moved(key, parts, documents, all_slots) || exact_posting(key, parts, documents, all_slots)
      end

      def exact_posting(key, parts, documents, all_slots)
        slots, totals = FieldPart.totals(parts)
        idf = Stores::Snapshot::Bm25f.idf(documents, slots.size)
        scores = totals.map { |total| idf * (total / (total + K1)) } # as `Bm25f.score` of one occurrence
        posting = Posting.new(slots, scores, all_slots)
        @known&.keep(key, posting, parts, idf)
        posting
      end

      # Return the documents of a field that contain a token, or nil.
      def part(field, weight, token)
        index = @indexes[field]
        counts = index&.counts([token], 0)
        FieldPart.new(field, weight, counts, index.average_filled_length) if counts
      end
    end
  end
end
