# frozen_string_literal: true

module HybridSearch
  # The names of Dify's modes of reranking (DFY-1).
  module RerankingModes
    WEIGHTED = "weighted_score"
    MODEL = "reranking_model"
    MODES = [WEIGHTED, MODEL].freeze
  end
end
