# frozen_string_literal: true

module HybridSearch
  # The fast ways, each with the answers of the plain form that {Kernels} names beside it.
  module Accelerated
    autoload :BestFields, "hybrid_search/accelerated/best_fields"
    autoload :CommonSums, "hybrid_search/accelerated/common_sums"
    autoload :DenseIndex, "hybrid_search/accelerated/dense_index"
    autoload :DocumentIndex, "hybrid_search/accelerated/document_index"
    autoload :DocumentTable, "hybrid_search/accelerated/document_table"
    autoload :FilterMasks, "hybrid_search/accelerated/filter_masks"
    autoload :InvertedIndex, "hybrid_search/accelerated/inverted_index"
    autoload :KeptPostings, "hybrid_search/accelerated/kept_postings"
    autoload :KeyTable, "hybrid_search/accelerated/key_table"
    autoload :LivingSlots, "hybrid_search/accelerated/living_slots"
    autoload :Posting, "hybrid_search/accelerated/posting"
    autoload :PreparedDocument, "hybrid_search/accelerated/prepared"
    autoload :PreparedKeys, "hybrid_search/accelerated/prepared_keys"
    autoload :QueryEvaluator, "hybrid_search/accelerated/query_evaluator"
    autoload :TermSimilarity, "hybrid_search/accelerated/term_similarity"
    autoload :TermWeight, "hybrid_search/accelerated/term_weight"
    autoload :TextCandidates, "hybrid_search/accelerated/text_candidates"
    autoload :VectorSimilarity, "hybrid_search/accelerated/vector_similarity"
    autoload :Vocabulary, "hybrid_search/accelerated/prepared"
  end
end
