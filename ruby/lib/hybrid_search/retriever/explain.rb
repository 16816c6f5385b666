# frozen_string_literal: true

module HybridSearch
  # Every part of every score of a page, so that each similarity can be computed again (RET-5).
  module Explain
    FORMULAS = {
      "weighted" => "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
      "model" => "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
      "term" => "term_similarity + rank_feature",
      "store" => "the store's own score"
    }.freeze

    module_function

    # How the page came about: what was asked, which formula made the similarities, and their parts.
    #
    # @return [Hash{String=>Object}]
    def explanation(request, recalled, ranked, shown, window)
      {
        "query_text" => recalled.query && Render.lucene(recalled.query),
        "keywords" => ranked.recalled.result.keywords.dup,
        "min_match" => recalled.min_match,
        "similarity" => recalled.similarity,
        "listed" => recalled.listed,
        "window" => window.size,
        "formula" => FORMULAS.fetch(ranked.outcome.formula),
        "tkweight" => request.tkweight,
        "vtweight" => request.vtweight,
        "chunks" => chunks(ranked, shown, window)
      }
    end

    # @return [Array<Hash{String=>Object}>] the parts of each shown score
    def chunks(ranked, shown, window)
      outcome = ranked.outcome
      scores = ranked.recalled.result.scores
      shown.map do |index|
        {
          "chunk_id" => outcome.ids[index],
          "recall_score" => scores[outcome.ids[index]],
          "recall_rank" => window.first + index + 1,
          "term_similarity" => outcome.term_similarity[index],
          "vector_similarity" => outcome.vector_similarity[index],
          "rank_feature" => outcome.rank_feature[index],
          "similarity" => outcome.similarity[index]
        }
      end
    end
    private_class_method :chunks
  end
end
