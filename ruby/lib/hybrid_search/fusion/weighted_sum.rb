# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The fusion method `weighted_sum`: the weighted sum of normalised scores (FUS-2).
    module WeightedSum
      module_function

      # Return the sum of weight · normalised score, starting at 0.0, over the lists in the given order.
      #
      # @param rankings [Array<Array<Array(String, Float)>>] the lists
      # @param factors [String, Array<Float>] one weight per list, in a form that {Weights.parse} takes
      # @param normalizer [String, Array<String>] one of {ScoreNormalizer::NORMALIZERS}, or a list of them, one per
      #   ranking
      # @return [Array<Array(String, Float)>]
      def fuse(rankings, factors, normalizer)
        lists = RankedLists.checked(rankings)
        parsed = Weights.parse(factors, lists.size)
        fused = {}
        ScoreNormalizer.normalized(lists, normalizer).each_with_index do |ranking, index|
          ranking.each do |identifier, score|
            fused[identifier] = fused.fetch(identifier, 0.0) + (parsed[index] * score)
          end
        end
        Base::Ordering.rank_fused(fused)
      end

      LEG_WEIGHTS = ->(name, value) { Weights.parse(value, 2, name) && value }
      private_constant :LEG_WEIGHTS

      METHOD = FusionMethod.new(
        fuse: ->(rankings, params, normalizer) { fuse(rankings, params["weights"], normalizer) },
        params: { "weights" => MethodParam.new(option: "weights", default: "0.05,0.95", check: LEG_WEIGHTS) }
      )
    end
  end
end
