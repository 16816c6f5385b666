# frozen_string_literal: true

module HybridSearch
  class Reranker
    # The scores of a rerank (RNK-1, RNK-2), in the order of the documents that went in.
    class RerankOutcome
      include Value

      # @return [Array<String>] the ids of the documents
      attr_reader :ids
      # @return [Array<Float>] what they are ranked by, finite
      attr_reader :similarity
      # @return [Array<Float>] the share of the question's weight they hold (QRY-9), before weighing
      attr_reader :term_similarity
      # @return [Array<Float>] the cosine, or the model's score on [0, 1], before weighing
      attr_reader :vector_similarity
      # @return [Array<Float>] page rank and tags (RNK-5), as added
      attr_reader :rank_feature
      # How similarity came about:
      #
      # - weighted: vtweight·vector + tkweight·term + rank feature
      # - term: term + rank feature, as the vector similarities sum to exactly 0
      # - model: tkweight·term + vtweight·model + rank feature
      # - store: the store's own score
      #
      # @return [String]
      attr_reader :formula
      # @return [Array<String>] what counted as missing, or went on without the model; texts for people
      attr_reader :warnings

      # The store's own scores as they are, for stores that fuse and normalise themselves (RNK-6).
      #
      # They are the term and the vector similarity too, as in RAGFlow.
      # A document without a score counts as 0.0; so does one whose score is not finite, with a warning.
      #
      # @param result [AdapterKit::SearchResult]
      # @return [RerankOutcome]
      def self.of_store_scores(result)
        reader = Storing::StoredFields.new
        scores = result.ids.map { |name| reader.number(name, { "score" => result.scores[name] }, "score", 0.0) }
        new(ids: result.ids, similarity: scores, term_similarity: scores, vector_similarity: scores,
            rank_feature: Array.new(scores.size, 0.0), formula: "store", warnings: reader.warnings)
      end

      # @raise [InvalidInputError] a similarity is not finite
      def initialize(ids:, similarity:, term_similarity:, vector_similarity:, rank_feature:, formula:, warnings: [])
        @ids = ids.dup.freeze
        @similarity = similarity.dup.freeze
        @term_similarity = term_similarity.dup.freeze
        @vector_similarity = vector_similarity.dup.freeze
        @rank_feature = rank_feature.dup.freeze
        @formula = formula
        @warnings = warnings.dup.freeze
        check
        freeze
      end

      # @param warning [String]
      # @return [RerankOutcome] the same outcome with one more warning
      def with_warning(warning)
        with(warnings: [*warnings, warning])
      end

      private

      def check
        place = @similarity.index { |score| !score.finite? }
        return unless place

        raise InvalidInputError, "the similarity of #{Validation.describe(@ids[place])} is not finite: weights or " \
                                 "rank features are too large"
      end
    end
  end
end
