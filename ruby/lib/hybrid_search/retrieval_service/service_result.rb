# frozen_string_literal: true

module HybridSearch
  class RetrievalService
    # The result of the retrieval service (DFY-6): documents, best first.
    class ServiceResult
      include Base::Listing
      include Base::Value

      # @return [Array<Document>] with `score`, `leg_scores` and other scores in their metadata
      attr_reader :documents
      # @return [Array<String>] problems that did not stop the retrieval
      attr_reader :warnings
      # @return [Hash{String=>Object}, nil] the explanation of the scores, nil unless requested
      attr_reader :explain

      def initialize(documents: [], warnings: [], explain: nil)
        @documents = documents.dup.freeze
        @warnings = warnings.dup.freeze
        @explain = explain.freeze
        freeze
      end

      # @return [Hash{String=>Object}] the result as plain data; `explain` only if it was requested
      def to_h
        plain = { "documents" => documents.map(&:to_h), "warnings" => warnings.dup }
        plain["explain"] = explain unless explain.nil?
        plain
      end

      private

      def items
        documents
      end
    end
  end
end
