# frozen_string_literal: true

module HybridSearch
  class ConvergentRetriever
    # One round of the first stage (CNV-3).
    class Round
      include Base::Value

      # @return [Array<Float>] what it was asked with
      attr_reader :query_vector
      # @return [Array<Array(Integer, Float)>] rows with their scores, best first
      attr_reader :ranking
      # @return [Float] of the first `converge_jaccard_k` scores
      attr_reader :mean
      # @return [Float, nil] how much its first rows agree with those of the round before; nil in the first
      attr_reader :jaccard
      # @return [Float, nil] its mean minus that of the round before; nil in the first
      attr_reader :gain
      # @return [Float, nil] the cosine of the query that it led to with the first one; nil where it led to none
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
      # @return [Round] the same round, with the cosine of the query that it led to
      def followed_by(cosine)
        with(next_cosine_to_q0: cosine)
      end
    end

    # The blocks of the first stage (CNV-4).
    class Candidates
      include Base::Value

      # @return [Array<Array(Integer, Float)>] rows with their scores, best first
      attr_reader :blocks
      # @return [Array<Round>] what led to them
      attr_reader :rounds
      # @return [String, nil] why there were no more rounds: "empty", "converged", "max_steps" or "drift"; nil: there is
      #   one
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
