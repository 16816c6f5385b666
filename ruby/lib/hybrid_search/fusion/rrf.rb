# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The fusion method `rrf`: reciprocal rank fusion (FUS-2).
    module Rrf
      module_function

      # Return the sum of 1 / (k + rank), with ranks from 1.
      #
      # @param rankings [Array<Array<Array(String, Float)>>] the lists
      # @param k [Integer, Float] at least 0
      # @return [Array<Array(String, Float)>]
      def fuse(rankings, k)
        lists = RankedLists.checked(rankings)
        constant = Base::Validation.number("k", k, 0)
        fused = {}
        lists.each do |ranking|
          ranking.each_with_index do |(identifier, _), index|
            fused[identifier] = fused.fetch(identifier, 0.0) + (1.0 / (constant + (index + 1)))
          end
        end
        Base::Ordering.rank_fused(fused)
      end

      AT_LEAST_ZERO = ->(name, value) { Base::Validation.number(name, value, 0) }
      private_constant :AT_LEAST_ZERO

      METHOD = FusionMethod.new(
        fuse: ->(rankings, params, _normalizer) { fuse(rankings, params["k"]) },
        params: { "k" => MethodParam.new(option: "rrf_k", default: 60, check: AT_LEAST_ZERO) }
      )
    end
  end
end
