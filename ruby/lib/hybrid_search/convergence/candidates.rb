# frozen_string_literal: true

module HybridSearch
  class ConvergentRetriever
    # One round of the first stage (CNV-3).
    class Round
      include Base::Value

      # @return [Array<Float>] the query of the round
      attr_reader :query_vector
      # @return [Array<Array(Integer, Float)>] rows with their scores, best first
      attr_reader :ranking
      # @return [Float] the mean of the first `converge_jaccard_k` scores
      attr_reader :mean
      # @return [Float, nil] the overlap of its first rows with those of the round before; nil in the first round
      attr_reader :jaccard
      # @return [Float, nil] its mean minus that of the round before; nil in the first round
      attr_reader :gain
      # @return [Float, nil] the cosine of the next round's query with the first query; nil without a next query
      attr_reader :next_cosine_to_q0

      def initialize(query_vector:, ranking:, mean:, jaccard: nil, gain: nil, next_cosine_to_q0: nil)
        @query_vector = query_vector.dup.freeze
        @ranking = ranking.dup.freeze
        @mean = mean
        @jaccard = jaccard
        @gain = gain
        @next_cosine_to_q0 = next_cosine_to_q0
        freeze
      end

      # @param cosine [Float]
      # @return [Round] the same round with the cosine of the next query
      def followed_by(cosine)
        with(next_cosine_to_q0: cosine)
      end
    end

    # The blocks of the first stage (CNV-4).
    class Candidates
      include Base::Value

      # @return [Array<Array(Integer, Float)>] rows with their scores, best first
      attr_reader :blocks
      # @return [Array<Round>] the rounds that produced them
      attr_reader :rounds
      # @return [String, nil] the reason for the end of the rounds: "empty", "converged", "max_steps" or "drift"; nil
      #   for a single round without convergence
      attr_reader :stop_reason

      def initialize(blocks:, rounds:, stop_reason: nil)
        @blocks = blocks.dup.freeze
        @rounds = rounds.dup.freeze
        @stop_reason = stop_reason
        freeze
      end
    end
  end
end
