# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Reads questions, and compares them with documents: how much of a question's weight they have (RNK-1, QRY-9).
    class TermSimilarity
      include Base::ShortInspect

      # @param query_builder [#build_text_query, #token_similarity] one that also has `keywords(question)`, the keywords
      #   alone, and `query_keys(query_tokens)`, what `token_similarity` looks for, as {QueryBuilder} has, may be asked
      #   by these instead; who redefines one method of such a pair redefines or undefines the other too
      def initialize(query_builder)
        @query_builder = query_builder
        freeze
      end

      # @param question [String]
      # @return [Array<String>] its keywords
      def keywords(question)
        @query_builder.build_text_query(question)[1]
      end

      # @param keywords [Array<String>] of the question
      # @param documents [Array<Array<String>>] the tokens of each
      # @return [Array<Float>] the similarity of each
      def of_tokens(keywords, documents)
        @query_builder.token_similarity(keywords, documents)
      end

      # @param result [AdapterKit::SearchResult] the documents
      # @param keywords [Array<String>] of the question
      # @param reader [Stores::Documents::StoredFields] collects what is not usable
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
