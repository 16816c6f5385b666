# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Moves a query by pseudo-relevance feedback towards the blocks that it found (CNV-3, points 5 and 6).
    class Feedback
      include Base::ShortInspect

      SMALLEST_TEMPERATURE = 1e-6
      private_constant :SMALLEST_TEMPERATURE

      # @param index [BlockIndex] the blocks
      # @param settings [Settings] the parameters (CNV-2)
      # @param anchor [Array<Float>] the query of the first round, of length 1
      def initialize(index, settings, anchor)
        @index = index
        @anchor = anchor
        @most = settings["feedback_top_m"]
        @file_cap = settings["feedback_file_cap"]
        @alpha = settings["query_update_alpha"]
        @beta = settings["query_anchor_beta"]
        @temperature = [settings["feedback_temp"], SMALLEST_TEMPERATURE].max
      end

      # @param query [Array<Float>]
      # @param ranking [Array<Array(Integer, Float)>]
      # @return [Array<Float>] (max(0, (1 − α) − β)·q0 + α·centroid) + β·q, normalized to length 1
      def next_query(query, ranking)
        centroid = centroid(chosen(ranking))
        anchored = [0.0, (1.0 - @alpha) - @beta].max
        Base::Numeric.normalize(
          @anchor.each_index.map do |place|
            ((anchored * @anchor[place]) + (@alpha * centroid[place])) + (@beta * query[place])
          end
        )
      end

      private

      # Return the best blocks, up to a limit for each file; blocks without a file have no limit.
      def chosen(ranking)
        taken = Hash.new(0)
        chosen = []
        ranking.each do |row, score|
          break if chosen.size == @most

          file = @index.file(row)
          if file && @file_cap.positive?
            next if taken[file] == @file_cap

            taken[file] += 1
          end
          chosen << [row, score]
        end
        chosen
      end

      def centroid(chosen)
        weights = Base::Numeric.softmax(chosen.map(&:last), @temperature)
        centroid = Array.new(@index.dimension, 0.0)
        chosen.each_with_index do |(row, _), place|
          weight = weights[place]
          vector = @index.rows.row(row)
          centroid = centroid.each_index.map { |each| centroid[each] + (weight * vector[each]) }
        end
        Base::Numeric.normalize(centroid)
      end
    end
  end
end
