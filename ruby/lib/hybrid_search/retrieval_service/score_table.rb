# frozen_string_literal: true

module HybridSearch
  module RetrievalServices
    # Explains scores: a row for each returned document, with every part of its score (DFY-6).
    module ScoreTable
      FORMULAS = {
        "weighted_score" => "vector_weight * vector_score + keyword_weight * keyword_score",
        "reranking_model" => "the reranking model's score",
        "rrf" => "the sum over the legs of 1 / (60 + place)",
        "leg" => "the leg's own score"
      }.freeze

      module_function

      # Return the formula, the weights, the query's keywords, and a row of rank, scores and keywords for each document.
      #
      # @param configuration [RetrievalConfiguration] the settings of the retrieval
      # @param formula [String] a key of {FORMULAS}
      # @param query_keywords [Array<String>] words and parts of the query, if keywords were compared
      # @param documents [Array<Document>] the returned documents, in order
      # @return [Hash{String=>Object}]
      def explain(configuration, formula, query_keywords, documents)
        weights = formula == "weighted_score" ? configuration.weights : nil
        {
          "search_method" => configuration.search_method,
          "formula" => FORMULAS.fetch(formula),
          "vector_weight" => weights&.vector_weight,
          "keyword_weight" => weights&.keyword_weight,
          "query_keywords" => query_keywords.dup,
          "rows" => documents.each_with_index.map { |document, index| row(index + 1, document) }
        }
      end

      # @param place [Integer] from 1
      # @param document [Document]
      # @return [Hash{String=>Object}] the document's rank, id and scores; missing scores are nil
      def row(place, document)
        {
          "place" => place,
          "doc_id" => document.doc_id,
          "keyword_score" => document.number("keyword_score"),
          "vector_score" => document.number("vector_score"),
          "score" => document.number("score"),
          "leg_scores" => (document.metadata["leg_scores"] || {}).dup
        }
      end
    end
  end
end
