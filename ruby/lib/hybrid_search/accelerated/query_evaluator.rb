# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Which documents match a text query, and how well (DOC-3).
    #
    # Evaluates clauses over the inverted indexes of a store. Per clause the best field counts: the highest of field
    # boost · score, over the fields where the clause matches. That, times the clause's boost, is added up over the
    # clauses from left to right, beginning at 0.0 ({BestSums}).
    class QueryEvaluator
      include Base::ShortInspect

      # @param best_fields [BestFields] what clauses score
      # @param slots [Integer] how many slots there are; all slots are below
      # @param totals [Array<Float>] room for a sum per slot, all 0.0; it comes back as it was
      # @param steps [Array<Integer>] the same for whole numbers, all 0
      def initialize(best_fields, slots, totals, steps)
        @best_fields = best_fields
        @slots = slots
        @sums = BestSums.new(slots, totals, steps)
      end

      # @param fields [Array<Array(String, Float)>] field names and boosts
      # @param query [Stores::Queries::QueryClauses]
      # @param limit [Integer] how many documents will be wanted at the most; 0 or more
      # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
      #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be left out
      def best(fields, query, limit, allowed)
        postings = @best_fields.postings(fields, query.clauses)
        matched = query.clauses.zip(postings).filter_map { |clause, posting| [clause.boost, posting] if posting }
        return [[], []] if matched.empty? || limit.zero? || query.required > query.alternatives.size

        counted = allowed
        if query.required > 1
          enough = enough_alternatives(query, postings)
          counted = allowed ? both(enough, allowed) : enough
        end
        @sums.best(matched, limit, counted)
      end

      private

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
    end
  end
end
