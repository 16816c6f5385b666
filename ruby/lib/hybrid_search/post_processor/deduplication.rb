# frozen_string_literal: true

module HybridSearch
  # Keeps the first of documents that are the same (DFY-1).
  module Deduplication
    module_function

    # Scores do not matter: the first stays, with or without one. Each provider has ids of its own, as in Dify.
    #
    # @param documents [Array<Document>]
    # @return [Array<Document>] those without the ones whose doc_id came before; of those without a doc_id, whose
    #   content did
    def apply(documents)
      documents.uniq do |document|
        identified = document.doc_id.nil? ? ["content", document.page_content] : ["doc_id", document.doc_id]
        [document.provider, *identified]
      end
    end
  end
end
