# frozen_string_literal: true

module HybridSearch
  # Scores documents by vector_weight · vector + keyword_weight · keyword (DFY-2).
  class WeightedScore
    include ShortInspect

    # @param weights [ScoreWeights] how much each part counts
    # @param keyword_cosine [KeywordCosine] compares keywords
    def initialize(weights, keyword_cosine)
      @weights = weights
      @keyword_cosine = keyword_cosine
      freeze
    end

    # Copies with `score`, `vector_score`, `keyword_score` and `keywords`, in the order given.
    #
    # @param query [String]
    # @param documents [Array<Document>] all documents at hand
    # @param query_vector [Array<Float>, nil] compared with a document's vector where it has neither `vector_score` nor
    #   `score`; of the length of those vectors
    # @return [Array(Array<Document>, Array<String>)] the documents, and the keywords of the query
    # @raise [InvalidInputError] a score is not finite
    def score(query, documents, query_vector = nil)
      keywords = @keyword_cosine.scores(query, documents.map(&:page_content))
      scored = documents.each_with_index.map do |document, index|
        vector = vector_score(document, query_vector)
        scored(document, vector, keywords.scores[index], keywords.document_keywords[index])
      end
      [scored, keywords.query_keywords]
    end

    private

    def scored(document, vector, keyword, keywords)
      score = (@weights.vector_weight * vector) + (@weights.keyword_weight * keyword)
      unless score.finite?
        raise InvalidInputError,
              "the weighted score of the document #{Validation.describe(document.doc_id)} is not finite"
      end

      document.with_metadata(
        "score" => score, "vector_score" => vector, "keyword_score" => keyword, "keywords" => keywords.dup
      )
    end

    # The document's vector score, else its score (as Dify does), else the cosine of the vectors, else 0.0.
    def vector_score(document, query_vector)
      given = document.number("vector_score") || document.number("score")
      return given if given

      vector = document.vector
      return 0.0 if query_vector.nil? || vector.nil?

      Numeric.cosine(query_vector, vector.map(&:to_f))
    end
  end
end
