# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # Lists of documents: repeats dropped, those with too low a score too, ordered, cut, laid out (DFY-1, DFY-3, DFY-5).
    module RankedList
      module_function

      # Scores do not matter: the first stays, with or without one. Each provider has ids of its own, as in Dify
      # (DFY-1).
      #
      # @param documents [Array<Document>]
      # @return [Array<Document>] those without the ones whose doc_id came before; of those without a doc_id, whose
      #   content did
      def deduplicate(documents)
        documents.uniq do |document|
          identified = document.doc_id.nil? ? ["content", document.page_content] : ["doc_id", document.doc_id]
          [document.provider, *identified]
        end
      end

      # @param score_threshold [Float, nil]
      # @param top_n [Integer, nil]
      # @return [Array(Float, Integer)] the two limits of {cut} as they are given, checked
      # @raise [InvalidInputError] a threshold that is not a finite number, a `top_n` that is not an integer from 0 on
      def limits(score_threshold = nil, top_n = nil)
        threshold = score_threshold.nil? ? nil : Base::Validation.number("score_threshold", score_threshold)
        [threshold, top_n.nil? ? nil : Base::Validation.integer("top_n", top_n, 0)]
      end

      # @param documents [Array<Document>] every one must have a score when there is a threshold
      # @param score_threshold [Float, nil] the lowest score that is shown; nil or 0: all are
      # @param top_n [Integer, nil] how many at the most; nil or 0: all
      # @return [Array<Document>] those that pass, best first, cut (DFY-3)
      def cut(documents, score_threshold = nil, top_n = nil)
        best(passing(documents, score_threshold), top_n)
      end

      # @param documents [Array<Document>]
      # @param score_threshold [Float, nil]
      # @return [Array<Document>] those whose score reaches the threshold, if there is one; one without a score does not
      def passing(documents, score_threshold)
        return documents.dup if score_threshold.nil? || score_threshold.zero?

        documents.select do |document|
          score = document.number("score")
          score && score >= score_threshold
        end
      end

      # @param documents [Array<Document>]
      # @param top_n [Integer, nil]
      # @return [Array<Document>] the documents in order, cut
      def best(documents, top_n = nil)
        ordered = documents.each_with_index.sort_by { |document, index| [*sort_key(document), index] }.map(&:first)
        top_n.nil? || top_n.zero? ? ordered : Base::Slices.head(ordered, top_n)
      end

      # @param document [Document]
      # @return [Array] score descending, then doc_id, then content, provider; documents without a score, or an id, last
      def sort_key(document)
        score = document.number("score")
        identifier = document.doc_id
        by_score = [score ? 0 : 1, -(score || 0.0)]
        [*by_score, identifier ? 0 : 1, identifier || "", document.page_content, document.provider]
      end

      # The best at both ends: language models overlook the middle of long prompts (DFY-5).
      #
      # @param documents [Array<Document>]
      # @return [Array<Document>] the 1st, 3rd, 5th … then the even ones backwards
      def reorder(documents)
        odd, even = documents.each_with_index.partition { |_, index| index.even? }
        odd.map(&:first) + even.map(&:first).reverse
      end
    end
  end
end
