# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the documents that match a text query, and their scores (DOC-3).
    #
    # Evaluates clauses over the inverted indexes of a store. For each clause the best field counts: the highest field
    # boost · score, over the fields in which the clause matches. This score, times the clause's boost, is added up over
    # the clauses from left to right, beginning at 0.0 ({BestSums}).
    class QueryEvaluator
      include Base::ShortInspect

      # @param best_fields [BestFields] finds the scores of clauses
      # @param sums [BestSums] finds the best sums
      def initialize(best_fields, sums)
        @best_fields = best_fields
        @sums = sums
      end

      # @param fields [Array<Array(String, Float)>] field names and boosts
      # @param query [Stores::Queries::QueryClauses]
      # @param limit [Integer] the maximum number of wanted documents; 0 or more
      # @param allowed [String, nil] for each slot a byte, 1 if it counts; nil if all do
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
