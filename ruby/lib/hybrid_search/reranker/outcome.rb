# frozen_string_literal: true

module HybridSearch
  class Reranker
    # The scores of a rerank (RNK-1, RNK-2), in the order of the given documents.
    class RerankOutcome
      include Base::Value

      # @return [Array<String>] the ids of the documents
      attr_reader :ids
      # @return [Array<Float>] the scores by which they are ranked, finite
      attr_reader :similarity
      # @return [Array<Float>] the share of the question's weight that they contain (QRY-9), before weighing
      attr_reader :term_similarity
      # @return [Array<Float>] the cosine, or the model's score on [0, 1], before weighing
      attr_reader :vector_similarity
      # @return [Array<Float>] page rank and tags (RNK-5), as added
      attr_reader :rank_feature
      # The formula of the similarity:
      #
      # - weighted: vtweight·vector + tkweight·term + rank feature
      # - term: term + rank feature, as the vector similarities sum to exactly 0
      # - model: tkweight·term + vtweight·model + rank feature
      # - store: the store's own score
      # - fused: the score of the fusion
      # - auto, min_max: the weighted shares of both legs (FUS-3, FUS-4)
      #
      # @return [String]
      attr_reader :formula
      # @return [Array<String>] readable texts about values that counted as missing, and steps that continued without
      #   the model
      attr_reader :warnings
      # @return [Array<Float>] break ties of the similarities, and order documents that a model did not score: the
      #   scores of the fusion if these rank the documents, otherwise the similarities
      attr_reader :stage1_scores
      # @return [Hash{String=>Float}] id → the model's score, for the head that it scored (RNK-8)
      attr_reader :model_scores

      # Return the store's own scores unchanged, for stores that fuse and normalise themselves (RNK-6).
      #
      # As in RAGFlow, they are also the term and the vector similarity. A missing score counts as 0.0; so does one that
      # is not finite, with a warning.
      #
      # @param result [AdapterKit::SearchResult]
      # @return [RerankOutcome]
      def self.of_store_scores(result)
        scores, warnings = scores_of(result)
        new(ids: result.ids, similarity: scores, term_similarity: scores, vector_similarity: scores,
            rank_feature: Array.new(scores.size, 0.0), formula: "store", warnings:)
      end

      # Return the displayed scores of a fusion (RET-10).
      #
      # If the fusion provides its legs, term and vector similarity are relative to the first document of each leg,
      # otherwise they are the score.
      #
      # @param result [AdapterKit::SearchResult]
      # @return [RerankOutcome]
      def self.of_fusion(result)
        legs = result.fused
        return of_store_scores(result).with(formula: "fused") unless legs

        scores, warnings = scores_of(result)
        new(
          ids: result.ids,
          similarity: legs.similarities(scores),
          term_similarity: result.ids.map { |identifier| legs.text.similarity(identifier) },
          vector_similarity: result.ids.map { |identifier| legs.dense.similarity(identifier) },
          rank_feature: Array.new(scores.size, 0.0),
          formula: legs.method,
          warnings:,
          stage1_scores: scores
        )
      end

      # Return the store's score of each document, finite, and warnings about scores that are not.
      def self.scores_of(result)
        scores = result.ids.map { |name| result.scores[name] }
        return [scores, []] if are_finite?(scores)

        reader = Stores::Documents::StoredFields.new
        finite = result.ids.map { |name| reader.number(name, { "score" => result.scores[name] }, "score", 0.0) }
        [finite, reader.warnings]
      end
      private_class_method :scores_of

      # Return whether all scores are finite floats, as those of the stores of this library are.
      def self.are_finite?(scores)
        scores.all? { |score| score.is_a?(::Float) && score.finite? }
      end
      private_class_method :are_finite?

      # @raise [InvalidInputError] a similarity is not finite
      def initialize(ids:, similarity:, term_similarity:, vector_similarity:, rank_feature:, formula:, warnings: [],
                     stage1_scores: similarity, model_scores: {})
        @ids = ids.dup.freeze
        @similarity = similarity.dup.freeze
        @term_similarity = term_similarity.dup.freeze
        @vector_similarity = vector_similarity.dup.freeze
        @rank_feature = rank_feature.dup.freeze
        @formula = formula
        @warnings = warnings.dup.freeze
        @stage1_scores = stage1_scores.dup.freeze
        @model_scores = model_scores.dup.freeze
        check
        freeze
      end

      # @param warning [String]
      # @return [RerankOutcome] the same outcome with one more warning
      def with_warning(warning)
        with(warnings: [*warnings, warning])
      end

      # @param partial [PartialRerank::PartialOutcome]
      # @return [RerankOutcome] the same outcome after a model has scored its head (RNK-8), where its scores are the
      #   similarities
      def with_model(partial)
        scored = partial.entries.to_h { |entry| [entry.id, entry.model_score] }.compact
        shown = ids.each_with_index.map { |identifier, index| scored.fetch(identifier, similarity[index]) }
        with(similarity: shown, warnings: [*warnings, *partial.warnings], model_scores: scored)
      end

      # @return [Array<Integer>] the positions of the documents in the order of ORD-2: documents that a model scored
      #   come first
      def order
        keys = ids.each_with_index.map do |identifier, index|
          [model_scores.key?(identifier) ? 0 : 1, similarity[index], stage1_scores[index], identifier]
        end
        keys.each_index.sort { |left, right| Base::Ordering.compare_tiered(keys[left], keys[right]) }
      end

      private

      def check
        place = @similarity.index { |score| !score.finite? }
        return unless place

        raise InvalidInputError, "the similarity of #{Base::Validation.describe(@ids[place])} is not finite: weights " \
                                 "or rank features are too large"
      end
    end
  end
end
