# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The registry of the fusion methods (FUS-1); each has a file of its own.
    module FusionMethods
      METHODS = {
        # methods:begin: made by `bin/conformance make options`
        "weighted_sum" => WeightedSum::METHOD,
        "rrf" => Rrf::METHOD,
        "auto" => Auto::METHOD,
        "min_max" => MinMax::METHOD
        # methods:end
      }.freeze
    end
  end
end
