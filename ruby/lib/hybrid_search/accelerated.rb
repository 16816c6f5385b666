# frozen_string_literal: true

module HybridSearch
  # The fast ways, each with the answers of the plain form that {Kernels} names beside it.
  module Accelerated
    autoload :KeyTable, "hybrid_search/accelerated/key_table"
    autoload :PreparedKeys, "hybrid_search/accelerated/prepared_keys"
    autoload :RowDots, "hybrid_search/accelerated/row_dots"
    autoload :TermSimilarity, "hybrid_search/accelerated/term_similarity"
    autoload :TermWeight, "hybrid_search/accelerated/term_weight"
    autoload :VectorSimilarity, "hybrid_search/accelerated/vector_similarity"
  end
end
