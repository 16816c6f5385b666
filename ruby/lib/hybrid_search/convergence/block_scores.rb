# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Finds the blocks nearest to a query by scoring and sorting all of them (CNV-3).
    class BlockScores
      include Base::ShortInspect

      # @param scored [Array<Array(Integer, Float)>] rows with their scores
      # @param limit [Integer]
      # @return [Array<Array(Integer, Float)>] the best of them, best first, equal scores by row
      def self.ranked(scored, limit)
        ordered = scored.sort do |(left_row, left), (right_row, right)|
          left == right ? left_row <=> right_row : right <=> left
        end
        Base::Slices.head(ordered, limit)
      end

      # @param rows [VectorRows] the vectors
      def initialize(rows)
        @rows = rows
      end

      # Return the best rows by dot product.
      #
      # @param query [Array<Float>] a vector of the length of the rows
      # @param limit [Integer] maximum number of rows
      # @param candidates [Array<Integer>, nil] the rows to score, in ascending order; nil scores all
      # @return [Array<Array(Integer, Float)>] rows with their scores, best first, equal scores by row
      def best(query, limit, candidates = nil)
        counted = candidates || (0...@rows.size).to_a
        BlockScores.ranked(counted.map { |row| [row, Base::Numeric.dot(query, @rows.row(row))] }, limit)
      end
    end
  end
end
