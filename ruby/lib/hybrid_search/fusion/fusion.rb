# frozen_string_literal: true

module HybridSearch
  # Fuses any number of ranked lists of (id, score), each in the order its maker gave (FUS-2, FUS-3, FUS-4, FUS-5).
  #
  # Results are in ORD-1 order. A document missing from a list adds nothing for it. An id twice in one list, a score
  # that is not finite, going in or coming out, is an {InvalidInputError}.
  module Fusion
    module_function

    # 0.0, then += weight · normalised score, lists in the order given.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param weights [String, Array<Float>] one per list, as {Fusions::Weights.parse} takes them
    # @param normalizer [String, Array<String>] "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of
    #   them, one per ranking
    # @return [Array<Array(String, Float)>]
    def weighted_sum(rankings, weights, normalizer: "min_max", **unknown)
      Base::Validation.known("option", unknown.keys, %w[normalizer])
      Fusions::WeightedSum.fuse(rankings, weights, normalizer)
    end

    # Reciprocal rank fusion: the sum of 1 / (k + rank), rank being the place from 1.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param k [Integer, Float] at least 0
    # @return [Array<Array(String, Float)>]
    def rrf(rankings, k: 60, **unknown)
      Base::Validation.known("option", unknown.keys, %w[k])
      Fusions::Rrf.fuse(rankings, k)
    end

    # A text leg and a dense leg by how far the scores of their first hundred stand out (FUS-3).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the two, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def auto(rankings)
      Fusions::FusionMethods::METHODS.fetch("auto").fuse.call(rankings, {}, "none")
    end

    # A text leg and a dense leg by the scores of their first hundred, from 0 to 1 each, half and half (FUS-4).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the two, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def min_max(rankings)
      Fusions::FusionMethods::METHODS.fetch("min_max").fuse.call(rankings, {}, "none")
    end

    # What a fusion expression asks for, at most its topn documents; a method by ranks needs no normalizer.
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
