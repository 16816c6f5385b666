# frozen_string_literal: true

module HybridSearch
  module Fusions
    # Puts the scores of one ranked list on a common scale (FUS-2); sums run in list order.
    module ScoreNormalizer
      NORMALIZERS = %w[none max min_max z_score sigmoid rank].freeze

      module_function

      # @param scores [Array<Float>] finite scores in the order of their ranking
      # @param method [String] one of {NORMALIZERS}
      # @return [Array<Float>] the normalised scores, in the same order; what overflows comes out as NaN or infinite
      def normalize(scores, method)
        return scores.dup if scores.empty? || method == "none"

        case method
        when "max" then max(scores)
        when "min_max" then min_max(scores)
        when "z_score" then z_score(scores)
        when "sigmoid" then scores.map { |score| sigmoid(score) }
        else
          count = scores.size
          (1..count).map { |place| (count - place + 1).fdiv(count) }
        end
      end

      # @return [Array<Float>] (x - min) / (max - min); 1.0 for all when they are equal
      def min_max(scores)
        lowest = scores.min
        highest = scores.max
        return Array.new(scores.size, 1.0) if highest == lowest

        spread = highest - lowest
        scores.map { |score| (score - lowest) / spread }
      end

      def max(scores)
        highest = scores.max
        highest.positive? ? scores.map { |score| score / highest } : Array.new(scores.size, 0.0)
      end
      private_class_method :max

      def z_score(scores)
        return Array.new(scores.size, 0.0) if scores.max == scores.min

        mean = Base::Numeric.mean(scores)
        differences = scores.map { |score| score - mean }
        deviation = Math.sqrt(Base::Numeric.dot(differences, differences) / scores.size)
        return Array.new(scores.size, 0.0) if deviation.zero?

        differences.map { |difference| difference / deviation }
      end
      private_class_method :z_score

      def sigmoid(score)
        return 1.0 / (1.0 + Math.exp(-score)) if score >= 0.0

        exponential = Math.exp(score)
        exponential / (1.0 + exponential)
      end
      private_class_method :sigmoid
    end
  end
end
