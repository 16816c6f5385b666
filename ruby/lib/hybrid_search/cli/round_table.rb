# frozen_string_literal: true

module HybridSearch
  module Cli
    # Prints the rounds of an answer as a readable table (CNV-3).
    module RoundTable
      HEAD = ["round", "blocks", "mean", "gain", "jaccard", "cosine to q0", "best rows"].freeze
      BEST = 5
      WIDTH = 100
      private_constant :BEST, :WIDTH

      module_function

      # @param located [ConvergentRetriever::Located]
      # @return [Array<Array<String>>] a row of texts for each round
      def rows(located)
        located.rounds.each_with_index.map { |made, place| row(place + 1, made) }
      end

      # @param identifier [String]
      # @param located [ConvergentRetriever::Located]
      # @return [Array<String>] the lines of an answer's table, with the reason for the end of the rounds
      def lines(identifier, located)
        stopped = located.stop_reason
        told = stopped ? "#{identifier}: stopped by #{stopped}" : "#{identifier}: one round"
        [told, *TableView.lines(HEAD, rows(located), WIDTH), ""]
      end

      # @param identifier [String]
      # @param located [ConvergentRetriever::Located]
      # @return [Hash{String=>Object}] the same as plain data
      def plain(identifier, located)
        rounds = located.rounds.map do |made|
          { "mean" => made.mean, "gain" => made.gain, "jaccard" => made.jaccard,
            "next_cosine_to_q0" => made.next_cosine_to_q0, "rows" => made.ranking.first(BEST).map(&:first) }
        end
        { "instance_id" => identifier, "rounds" => rounds, "stop_reason" => located.stop_reason }
      end

      def row(number, made)
        numbers = [made.mean, made.gain, made.jaccard, made.next_cosine_to_q0]
        [number.to_s, made.ranking.size.to_s, *numbers.map { |value| value.nil? ? "" : Base::Numeric.fixed4(value) },
         made.ranking.first(BEST).map(&:first).join(", ")]
      end
      private_class_method :row
    end
  end
end
