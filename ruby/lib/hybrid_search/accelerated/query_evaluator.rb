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
      # @param sums [BestSums] finds the best sums
      def initialize(best_fields, sums)
        @best_fields = best_fields
        @sums = sums
      end

      # @param fields [Array<Array(String, Float)>] field names and boosts
      # @param query [Stores::Queries::QueryClauses]
      # @param limit [Integer] the number of documents wanted; 0 or more
      # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
      #   `limit` with all ties of the last, in no order; some of those that cannot be among the best may be missing
      def best(fields, query, limit, allowed)
        postings = @best_fields.postings(fields, query.clauses)
        matched = query.clauses.zip(postings).filter_map { |clause, posting| [clause.boost, posting] if posting }
        return [[], []] if matched.empty? || limit.zero? || query.required > query.alternatives.size

        counted = allowed
        if query.required > 1
          alternatives = query.alternatives.map { |alternative| alternative.filter_map { |place| postings[place] } }
          counted = @sums.enough(alternatives, query.required, allowed)
        end
        @sums.best(matched, limit, counted)
      end
    end
  end
end
