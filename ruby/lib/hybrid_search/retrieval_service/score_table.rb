# frozen_string_literal: true

module HybridSearch
  module RetrievalServices
    # Tells how scores came about: a row for each document shown, with every part of its score (DFY-6).
    module ScoreTable
      FORMULAS = {
        "weighted_score" => "vector_weight * vector_score + keyword_weight * keyword_score",
        "reranking_model" => "the reranking model's score",
        "rrf" => "the sum over the legs of 1 / (60 + place)",
        "leg" => "the leg's own score"
      }.freeze

      module_function

      # The formula, the weights, the keywords of the query, and a row a document: its place, scores and keywords.
      #
      # @param configuration [RetrievalConfiguration] what was asked
      # @param formula [String] a key of {FORMULAS}
      # @param query_keywords [Array<String>] words and parts of the query, where keywords were compared
      # @param documents [Array<Document>] those shown, in order
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
      # @return [Hash{String=>Object}] the document's place, id and scores; nil where there is none
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
