# frozen_string_literal: true

module HybridSearch
  module RetrievalServices
    # The union of the results of several legs, as documents, in the order of the legs; a document found by several legs
    # appears once (DFY-6).
    class ServiceCandidates
      include Base::ShortInspect

      RRF_K = 60
      SEMANTIC = "semantic_search"
      TEXT_FIELDS = [%w[document_id doc_id], %w[document_name docnm_kwd], %w[dataset_id kb_id]].freeze

      # @param legs [Array<Array(String, AdapterKit::SearchResult)>] the name of each search method and its result
      def initialize(legs)
        @legs = legs
        @reader = Stores::Documents::StoredFields.new
        @fields = {}
        @leg_scores = {}
        legs.each do |method, result|
          result.ids.each do |identifier|
            (@fields[identifier] ||= {}).merge!(result.fields_of(identifier)) { |_, first, _| first }
            (@leg_scores[identifier] ||= {})[method] = result.scores.fetch(identifier)
          end
        end
      end

      # @return [Integer] the number of documents found
      def count
        @leg_scores.size
      end

      # @return [Array<String>] the names of the legs
      def leg_names
        @legs.map(&:first)
      end

      # @param method [String]
      # @return [Array<String>] the ids of the documents that a leg did not find
      def without(method)
        @leg_scores.reject { |_, scores| scores.key?(method) }.keys
      end

      # @return [Hash{String=>Float}] the score of each document, for a retrieval with one leg
      def leg_scores
        @leg_scores.transform_values { |scores| scores.values[0] }
      end

      # @return [Hash{String=>Float}] the sum of each document's reciprocal ranks in the legs, k = 60, in the order of
      #   the legs
      def fused_scores
        rankings = @legs.map { |_, result| result.ids.map { |identifier| [identifier, result.scores[identifier]] } }
        Fusion.rrf(rankings, k: RRF_K).to_h
      end

      # @param scores [Hash{String=>Float}] the `score` by id; a document that is not included has no score
      # @param cosines [Hash{String=>Float}] the `vector_score` of documents that the semantic leg did not find
      # @return [Array<Document>] the documents, each with its `leg_scores`
      def documents(scores, cosines)
        @fields.keys.map { |identifier| document(identifier, scores, cosines) }
      end

      # @return [Array<String>] one text for each stored field that was not usable somewhere
      def warnings
        @reader.warnings
      end

      private

      def document(identifier, scores, cosines)
        fields = @fields[identifier]
        metadata = { "doc_id" => identifier }
        TEXT_FIELDS.each { |name, field| metadata[name] = text(identifier, fields, field) }
        metadata["doc_metadata"] = fields["metadata"] if fields["metadata"].is_a?(::Hash)
        leg_scores = metadata["leg_scores"] = @leg_scores[identifier]
        metadata["vector_score"] = leg_scores.fetch(SEMANTIC) { cosines[identifier] }
        metadata["score"] = scores[identifier]
        Document.new(text(identifier, fields, "content_with_weight") || "", metadata.compact)
      end

      def text(identifier, fields, name)
        value = fields[name]
        return nil if value.nil?

        begin
          Base::Validation.text(name, value)
        rescue InvalidInputError
          @reader.reject(identifier, name, "a text")
          nil
        end
      end
    end
  end
end
