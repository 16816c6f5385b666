# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the scores of clauses in their best fields (DOC-3): the score of a document is its highest field boost ·
    # score.
    #
    # The postings of clauses over several fields are cached.
    class BestFields < FieldPostings
      # @param fields [Array<Array(String, Float)>] field names and boosts
      # @param clauses [Array<Stores::Queries::QueryClauses::Clause>] the clauses to look up; their own boosts are
      #   ignored
      # @return [Array<Posting, nil>] for each clause the documents that contain it in any field, and its score in the
      #   best of these
      def postings(fields, clauses)
        return clauses.map { |clause| kept_posting(fields, clause) } if fields.size != 1 || fields[0][1] != 1

        index = @indexes[fields[0][0]]
        clauses.map { |clause| index&.posting(clause.tokens, clause.slop) }
      end

      private

      def kept_posting(fields, clause)
        key = [fields, clause.tokens, clause.slop]
        known, posting = @kept.find(key)
        return posting if known

        posting = best(fields, clause)
        @kept.keep(key, posting, @indexes.each_value.map(&:tokens).max || 0)
        posting
      end

      def index_posting(field, clause)
        @indexes[field]&.posting(clause.tokens, clause.slop)
      end

      def best(fields, clause)
        found = fields.filter_map do |field, boost|
          posting = index_posting(field, clause)
          [boost, posting] if posting
        end
        return nil if found.empty?

        scores = {}
        found.each do |boost, posting|
          posting.slots.each_with_index do |slot, index|
            score = boost * posting.scores[index]
            known = scores[slot]
            scores[slot] = score if known.nil? || score > known
          end
        end
        slots = found.size == 1 ? found[0][1].slots : scores.keys.sort
        Posting.new(slots, slots.map { |slot| scores[slot] }, found.map { |_, posting| posting.all_slots }.max)
      end
    end
  end
end
