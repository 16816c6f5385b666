# frozen_string_literal: true

module HybridSearch
  # Fuses any number of ranked lists of (id, score), each in its own order (FUS-2, FUS-3, FUS-4, FUS-5).
  #
  # Results are in ORD-1 order. A list adds nothing to a document that it does not contain. An id that is repeated in a
  # list, or a score that is not finite, before or after fusion, is an {InvalidInputError}.
  module Fusion
    module_function

    # Return the sum of weight · normalised score, starting at 0.0, over the lists in the given order.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param weights [String, Array<Float>] one per list, in a form that {Fusions::Weights.parse} takes
    # @param normalizer [String, Array<String>] "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of
    #   them, one per ranking
    # @return [Array<Array(String, Float)>]
    def weighted_sum(rankings, weights, normalizer: "min_max", **unknown)
      Base::Validation.known("option", unknown.keys, %w[normalizer])
      Fusions::WeightedSum.fuse(rankings, weights, normalizer)
    end

    # Return the sum of 1 / (k + rank), with ranks from 1: reciprocal rank fusion.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param k [Integer, Float] at least 0
    # @return [Array<Array(String, Float)>]
    def rrf(rankings, k: 60, **unknown)
      Base::Validation.known("option", unknown.keys, %w[k])
      Fusions::Rrf.fuse(rankings, k)
    end

    # Fuse a text leg and a dense leg by how far the scores of their first hundred documents stand out (FUS-3).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] both legs, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def auto(rankings)
      Fusions::FusionMethods::METHODS.fetch("auto").fuse.call(rankings, {}, "none")
    end

    # Fuse a text leg and a dense leg by the scores of their first hundred, scaled to 0 … 1, half and half (FUS-4).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] both legs, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def min_max(rankings)
      Fusions::FusionMethods::METHODS.fetch("min_max").fuse.call(rankings, {}, "none")
    end

    # Return the fused list of a fusion expression, cut at its topn; methods by rank ignore the normalizer.
    #
    # @param expression [FusionExpr]
    # @return [Array<Array(String, Float)>]
    def fuse(expression, rankings, normalizer: "min_max", **unknown)
      Base::Validation.known("option", unknown.keys, %w[normalizer])
      Base::ObjectChecks.having("expression", expression, %w[method params topn], "a FusionExpr")
      method = Fusions::FusionMethods::METHODS.fetch(expression.method)
      Base::Slices.head(method.fuse.call(rankings, expression.params, normalizer), expression.topn)
    end
  end
end
