# frozen_string_literal: true

module HybridSearch
  # Scores documents by a rerank model (DFY-4): one call for all texts, the scores as the model gives them.
  class ModelReranking
    include ShortInspect

    # @param model [#similarity, #call] (RNK-3)
    # @param fail_open [Boolean] whether a failing or late model is a warning (true) or a {RerankError} (RNK-7)
    # @param rerank_timeout [Float] how many seconds the model may take; above 0
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(model, fail_open: true, rerank_timeout: 30.0)
      @model = RerankModel.new(model, fail_open:, rerank_timeout:)
      freeze
    end

    # @param query [String]
    # @param documents [Array<Document>]
    # @return [Array(Array<Document>, nil), Array(nil, String)] copies with the model's `score`, in the order given, and
    #   no warning; or none and what to warn of
    # @raise [RerankError] the model failed or was late, and `fail_open` is false
    def score(query, documents)
      scores, warning = @model.attempt(query, documents.map(&:page_content), scaled: false)
      return [nil, warning] if scores.nil?

      [documents.zip(scores).map { |document, score| document.with_metadata("score" => score) }, nil]
    end
  end
end
