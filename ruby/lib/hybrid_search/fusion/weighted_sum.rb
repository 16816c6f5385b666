# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The method `weighted_sum` (FUS-2).
    module WeightedSum
      module_function

      # 0.0, then += weight · normalised score, lists in the order given.
      #
      # @param rankings [Array<Array<Array(String, Float)>>] the lists
      # @param factors [String, Array<Float>] one weight per list, as {Weights.parse} takes them
      # @param normalizer [String, Array<String>] one of {ScoreNormalizer::NORMALIZERS}, or a list of them, one per
      #   ranking
      # @return [Array<Array(String, Float)>]
      def fuse(rankings, factors, normalizer)
        lists = RankedLists.checked(rankings)
        parsed = Weights.parse(factors, lists.size)
        normalizers = checked_normalizers(normalizer, lists.size)
        fused = {}
        lists.each_with_index do |ranking, index|
          factor = parsed[index]
          normalized = ScoreNormalizer.normalize(ranking.map { |_, score| score }, normalizers[index])
          ranking.each_with_index do |(identifier, _), place|
            score = normalized[place]
            unless score.finite?
              raise InvalidInputError, "rankings[#{index}]: the score of #{Base::Validation.describe(identifier)} " \
                                       "is not finite under #{normalizers[index]}"
            end
            fused[identifier] = fused.fetch(identifier, 0.0) + (factor * score)
          end
        end
        Base::Ordering.rank_fused(fused)
      end

      def checked_normalizers(normalizer, count)
        unless normalizer.is_a?(::Array)
          return Array.new(count,
                           Base::Validation.choice("normalizer", normalizer, ScoreNormalizer::NORMALIZERS))
        end

        if normalizer.size != count
          raise Base::Validation.failure("normalizer", normalizer, "one normalizer, or #{count} of them")
        end

        normalizer.each_with_index.map do |item, index|
          Base::Validation.choice("normalizer[#{index}]", item, ScoreNormalizer::NORMALIZERS)
        end
      end
      private_class_method :checked_normalizers

      LEG_WEIGHTS = ->(name, value) { Weights.parse(value, 2, name) && value }
      private_constant :LEG_WEIGHTS

      METHOD = FusionMethod.new(
        fuse: ->(rankings, params, normalizer) { fuse(rankings, params["weights"], normalizer) },
        params: { "weights" => MethodParam.new(option: "weights", default: "0.05,0.95", check: LEG_WEIGHTS) }
      )
    end
  end
end
