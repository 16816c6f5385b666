# frozen_string_literal: true

module HybridSearch
  module Fusions
    # Fusion of a text leg and a dense leg by the scores of their first hundred (FUS-3, FUS-4, FUS-5).
    module LegFusion
      module_function

      # @param name [String] the name for messages
      # @param legs [#call] returns the contributions of a text leg and a dense leg
      # @return [FusionMethod] the method of this name
      def of(name, legs)
        fuse = ->(rankings, _params, _normalizer) { fuse(name, legs, rankings) }
        FusionMethod.new(fuse:, params: {}, legs:)
      end

      # @param name [String] the name of the method, for messages
      # @param legs [#call] returns the contributions of a text leg and a dense leg
      # @param rankings [Array<Array<Array(String, Float)>>] the two legs, in this order; either may be empty
      # @return [Array<Array(String, Float)>] the fused list
      # @raise [InvalidInputError] the number of lists is not two, or one of them is not valid
      def fuse(name, legs, rankings)
        lists = RankedLists.checked(rankings)
        unless lists.size == 2
          raise InvalidInputError, "#{name} fuses a text leg and a dense leg, not #{lists.size} rankings"
        end

        text, dense = lists.map { |list| Base::Ordering.rank(list) }
        legs.call(text, dense).ranking(text, dense)
      end
    end
  end
end
