# frozen_string_literal: true

module HybridSearch
  # What is shown of scored documents (DFY-3): threshold, order, and how many.
  class Cut
    include ShortInspect

    # @param document [Document]
    # @return [Array] the sort key: score descending, then doc_id, then content, provider; documents without a score, or
    #   an id, last
    def self.key(document)
      score = document.number("score")
      identifier = document.doc_id
      by_score = [score ? 0 : 1, -(score || 0.0)]
      [*by_score, identifier ? 0 : 1, identifier || "", document.page_content, document.provider]
    end

    # @param score_threshold [Float, nil] the lowest score that is shown; nil or 0: all are
    # @param top_n [Integer, nil] how many documents at the most, at least 0; nil or 0: all
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(score_threshold = nil, top_n = nil)
      given = score_threshold.nil? ? 0.0 : Validation.number("score_threshold", score_threshold)
      @threshold = given.zero? ? nil : given
      @top_n = top_n.nil? ? 0 : Validation.integer("top_n", top_n, 0)
      freeze
    end

    # @param documents [Array<Document>] every one must have a score when there is a threshold
    # @return [Array<Document>] those that pass, in order, cut
    def apply(documents)
      head(passing(documents))
    end

    # @param documents [Array<Document>]
    # @return [Array<Document>] the documents in order, cut: no threshold
    def head(documents)
      ordered = documents.each_with_index.sort_by { |document, index| [*Cut.key(document), index] }.map(&:first)
      @top_n.zero? ? ordered : ordered.first([@top_n, ordered.size].min)
    end

    # @param documents [Array<Document>]
    # @return [Array<Document>] those whose score reaches the threshold; one without a score does not
    def passing(documents)
      return documents.dup if @threshold.nil?

      documents.select do |document|
        score = document.number("score")
        score && score >= @threshold
      end
    end
  end
end
