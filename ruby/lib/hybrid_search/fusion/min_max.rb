# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The method `min_max`: legs by their scores between the lowest and the highest (FUS-4).
    module MinMax
      module_function

      # What each leg adds, half and half.
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
