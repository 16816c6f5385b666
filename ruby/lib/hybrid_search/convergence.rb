# frozen_string_literal: true

module HybridSearch
  # The parts of {ConvergentRetriever} and {BlockIndex}.
  module Convergence
    autoload :Block, "hybrid_search/convergence/block"
    autoload :BlockNames, "hybrid_search/convergence/block_names"
    autoload :BlockReranker, "hybrid_search/convergence/block_reranker"
    autoload :BlockScores, "hybrid_search/convergence/block_scores"
    autoload :Definition, "hybrid_search/convergence/block"
    autoload :Feedback, "hybrid_search/convergence/feedback"
    autoload :FileScores, "hybrid_search/convergence/file_scores"
    autoload :IndexFiles, "hybrid_search/convergence/index_files"
    autoload :LimitedTruncatingModel, "hybrid_search/convergence/truncating_model"
    autoload :Locations, "hybrid_search/convergence/locations"
    autoload :Rounds, "hybrid_search/convergence/rounds"
    autoload :RowNames, "hybrid_search/convergence/row_names"
    autoload :Settings, "hybrid_search/convergence/settings"
    autoload :Snippets, "hybrid_search/convergence/snippets"
    autoload :SourceFiles, "hybrid_search/convergence/source_files"
    autoload :StoredIndex, "hybrid_search/convergence/index_files"
    autoload :TruncatingModel, "hybrid_search/convergence/truncating_model"
    autoload :VectorRows, "hybrid_search/convergence/vector_rows"
  end
end
