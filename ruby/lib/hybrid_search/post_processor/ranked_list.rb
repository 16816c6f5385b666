# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # Deduplicates, filters, sorts, cuts and reorders lists of documents (DFY-1, DFY-3, DFY-5).
    module RankedList
      module_function

      # Remove repeats. The first document stays, whether or not it has a score. Each provider has its own ids, as in
      # Dify (DFY-1).
      #
      # @param documents [Array<Document>]
      # @return [Array<Document>] the documents without repeats: of a doc_id, or of the content if there is no doc_id
      def deduplicate(documents)
        documents.uniq do |document|
          identified = document.doc_id.nil? ? ["content", document.page_content] : ["doc_id", document.doc_id]
          [document.provider, *identified]
        end
      end

      # @param score_threshold [Float, nil]
      # @param top_n [Integer, nil]
      # @return [Array(Float, Integer)] the two limits of {cut}, checked
      # @raise [InvalidInputError] a threshold that is not a finite number, a `top_n` that is not an integer from 0 on
      def limits(score_threshold = nil, top_n = nil)
        threshold = score_threshold.nil? ? nil : Base::Validation.number("score_threshold", score_threshold)
        [threshold, top_n.nil? ? nil : Base::Validation.integer("top_n", top_n, 0)]
      end

      # @param documents [Array<Document>] every one must have a score if a threshold is set
      # @param score_threshold [Float, nil] the lowest score shown; nil or 0 shows all
      # @param top_n [Integer, nil] maximum number of documents; nil or 0 returns all
      # @return [Array<Document>] the documents that reach the threshold, best first, cut (DFY-3)
      def cut(documents, score_threshold = nil, top_n = nil)
        best(passing(documents, score_threshold), top_n)
      end

      # @param documents [Array<Document>]
      # @param score_threshold [Float, nil]
      # @return [Array<Document>] the documents whose score reaches the threshold, if one is set; a missing score does
      #   not reach it
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
      # @return [Array] the key: score descending, then doc_id, content, provider; a missing score, or id, sorts last
      def sort_key(document)
        score = document.number("score")
        identifier = document.doc_id
        by_score = [score ? 0 : 1, -(score || 0.0)]
        [*by_score, identifier ? 0 : 1, identifier || "", document.page_content, document.provider]
      end

      # Place the best documents at both ends, since language models overlook the middle of long prompts (DFY-5).
      #
      # @param documents [Array<Document>]
      # @return [Array<Document>] the 1st, 3rd, 5th … documents, then the even ones backwards
      def reorder(documents)
        odd, even = documents.each_with_index.partition { |_, index| index.even? }
        odd.map(&:first) + even.map(&:first).reverse
      end
    end
  end
end
