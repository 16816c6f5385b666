# frozen_string_literal: true

module HybridSearch
  module Convergence
    # The scores of files, out of those of their blocks (CNV-6).
    class FileScores
      include Base::ShortInspect

      # @param aggregation [String] "sum" of the scores in ranking order, or the "max" of them and 0.0
      def initialize(aggregation)
        @aggregation = aggregation
      end

      # @param blocks [Array<Array(String, Float)>] the file and the score of each block, in ranking order; one without
      #   a file counts for none
      # @return [Array<Array(String, Float)>] the files with their scores, best first, equal ones by path
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
