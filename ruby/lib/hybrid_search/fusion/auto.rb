# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The fusion method `auto`: weighs each leg by how far its best scores stand out (FUS-3).
    module Auto
      module_function

      # Return the contributions of both legs; the scores of a text leg of fewer than `DEPTH` documents count from 0.
      #
      # @param text [Array<Array(String, Float)>]
      # @param dense [Array<Array(String, Float)>]
      # @return [FusedLegs]
      def legs(text, dense)
        floor = text.size < FusedLegs::DEPTH ? 0.0 : FusedLegs.last(text)
        texts = FusedLegs.leg(text, 0.4, floor) { |excesses| Base::Numeric.mean(excesses) }
        vectors = FusedLegs.leg(dense, 0.6, FusedLegs.last(dense)) { |excesses| Base::Numeric.mean(excesses) }
        FusedLegs.new(method: "auto", text: texts, dense: vectors, highest: texts.first + vectors.first)
      end

      METHOD = LegFusion.of("auto", ->(text, dense) { legs(text, dense) })
    end
  end
end
