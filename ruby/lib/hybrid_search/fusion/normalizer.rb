# frozen_string_literal: true

module HybridSearch
  module Fusions
    # Puts the scores of ranked lists on a common scale (FUS-2); sums run in list order.
    module ScoreNormalizer
      NORMALIZERS = %w[none max min_max z_score sigmoid rank].freeze

      module_function

      # @param lists [Array<Array<Array(String, Float)>>]
      # @param normalizer [String, Array<String>] one of {NORMALIZERS}, or a list of them, one per list
      # @return [Array<Array<Array(String, Float)>>] the lists with normalised scores
      # @raise [InvalidInputError] the normalizer is not accepted, or a normalised score is not finite
      def normalized(lists, normalizer)
        methods = one_each(normalizer, lists.size)
        lists.each_with_index.map do |ranking, index|
          scores = normalize(ranking.map { |_, score| score }, methods[index])
          scaled = ranking.each_with_index.map { |(identifier, _), place| [identifier, scores[place]] }
          scaled.each { |identifier, score| finite(index, identifier, score, methods[index]) }
        end
      end

      def finite(index, identifier, score, method)
        return if score.finite?

        raise InvalidInputError,
              "rankings[#{index}]: the score of #{Base::Validation.describe(identifier)} is not finite under #{method}"
      end
      private_class_method :finite

      def one_each(normalizer, count)
        unless normalizer.is_a?(::Array)
          return Array.new(count, Base::Validation.choice("normalizer", normalizer, NORMALIZERS))
        end

        if normalizer.size != count
          raise Base::Validation.failure("normalizer", normalizer, "one normalizer, or #{count} of them")
        end

        normalizer.each_with_index.map do |item, index|
          Base::Validation.choice("normalizer[#{index}]", item, NORMALIZERS)
        end
      end
      private_class_method :one_each

      # @param scores [Array<Float>] finite scores in the order of their ranking
      # @param method [String] one of {NORMALIZERS}
      # @return [Array<Float>] the normalised scores, in the same order; overflows become NaN or infinite
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

      # @return [Array<Float>] (x - min) / (max - min); 1.0 for all scores if they are equal
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
