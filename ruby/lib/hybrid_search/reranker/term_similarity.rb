# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Computes the share of a question's weight that documents contain (RNK-1, QRY-9).
    class TermSimilarity
      include Base::ShortInspect

      # @param query_builder [#build_text_query, #token_similarity] two methods are optional, and {QueryBuilder} has
      #   them: `keywords(question)` returns only the keywords, and `query_keys(query_tokens)` the terms that
      #   `token_similarity` looks for. They may be called instead of the required methods. A subclass that redefines
      #   one method of such a pair must also redefine or undefine the other
      def initialize(query_builder)
        @query_builder = query_builder
        freeze
      end

      # @param question [String]
      # @return [Array<String>] its keywords
      def keywords(question)
        @query_builder.build_text_query(question)[1]
      end

      # @param keywords [Array<String>] the keywords of the question
      # @param documents [Array<Array<String>>] the tokens of each document
      # @return [Array<Float>] the similarity of each
      def of_tokens(keywords, documents)
        @query_builder.token_similarity(keywords, documents)
      end

      # @param result [AdapterKit::SearchResult] the documents
      # @param keywords [Array<String>] the keywords of the question
      # @param reader [Stores::Documents::StoredFields] collects unusable values
      # @return [Array<Float>] the similarities of the documents, in the order of `result.ids`
      def of_result(result, keywords, reader)
        documents = result.ids.map do |name|
          Stores::Documents::StoredFields.hybrid_tokens(name, result.fields_of(name), reader)
        end
        of_tokens(keywords, documents)
      end
    end
  end
end
