# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The fusion method `min_max`: scales the scores of each leg between its lowest and highest (FUS-4).
    module MinMax
      module_function

      # Return the contributions of both legs, in equal parts.
      #
      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [FusedLegs]
      def legs(text, dense)
        texts = FusedLegs.leg(text, 0.5, FusedLegs.last(text), &:max)
        vectors = FusedLegs.leg(dense, 0.5, FusedLegs.last(dense), &:max)
        FusedLegs.new(method: "min_max", text: texts, dense: vectors, highest: 1.0)
      end

      METHOD = LegFusion.of("min_max", ->(text, dense) { legs(text, dense) })
    end
  end
end
