# frozen_string_literal: true

module HybridSearch
  module Fusions
    # The registry of the methods of fusion (FUS-1); a new one is a file and a row here.
    module FusionMethods
      METHODS = {
        "weighted_sum" => WeightedSum::METHOD,
        "rrf" => Rrf::METHOD,
        "auto" => Auto::METHOD,
        "min_max" => MinMax::METHOD
      }.freeze
    end
  end
end
