# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Scores files by the scores of their blocks (CNV-6).
    class FileScores
      include Base::ShortInspect

      # @param aggregation [String] "sum" of the scores in ranking order, or "max" of the scores and 0.0
      def initialize(aggregation)
        @aggregation = aggregation
      end

      # @param blocks [Array<Array(String, Float)>] the file and the score of each block, in ranking order; blocks
      #   without a file do not count
      # @return [Array<Array(String, Float)>] the files with their scores, best first, equal scores by path
      def rank(blocks)
        scores = {}
        blocks.each do |file, score|
          next if file.nil?

          before = scores.fetch(file, 0.0)
          scores[file] = if @aggregation == Settings::MAX
                           score > before ? score : before
                         else
                           before + score
                         end
        end
        Base::Ordering.rank(scores.to_a)
      end
    end
  end
end
