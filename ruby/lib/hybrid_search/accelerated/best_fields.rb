# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # What clauses score in the field that suits them best (DOC-3): in a document the highest of field boost · score
    # counts.
    #
    # The postings of clauses over several fields are kept.
    class BestFields < FieldPostings
      # @param fields [Array<Array(String, Float)>] field names and boosts
      # @param clauses [Array<Stores::Queries::QueryClauses::Clause>] what is looked up; their own boosts are left out
      # @return [Array<Posting, nil>] for each clause the documents that hold it in any field, and what it scores in its
      #   best one
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
