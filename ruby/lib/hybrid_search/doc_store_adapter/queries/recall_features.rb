# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # A text leg in which features count (RNK-10).
      class FeaturedLeg
        include Base::ShortInspect

        # @return [Array<Array(String, Float)>] its documents with the sums of both scores, in the order of ORD-1
        attr_reader :ranking
        # @return [Hash{String=>Float}] id → the score of the text
        attr_reader :scores
        # @return [Hash{String=>Float}] id → the score of the features
        attr_reader :features

        def initialize(ranking, scores, features)
          @ranking = ranking
          @scores = scores.freeze
          @features = features.freeze
          freeze
        end

        # @param fusion [AdapterKit::FusionExpr, nil]
        # @param dense [Array<Array(String, Float)>] the dense leg
        # @return [Array<Array(String, Float)>, nil] the weighted sum of both legs, in which only the scores of the text
        #   are normalized; nil for another fusion, which takes the sums of `ranking`
        def weighted(fusion, dense)
          return nil unless fusion && fusion.method == "weighted_sum"

          text, of_dense = Fusions::Weights.parse(fusion.params["weights"], 2)
          lists = [Base::Ordering.rank(@scores.to_a), dense, Base::Ordering.rank(@features.to_a)]
          Base::Slices.head(
            Fusion.weighted_sum(lists, [text, of_dense, text], normalizer: %w[min_max none none]), fusion.topn
          )
        end
      end

      # Adds page ranks and tags of documents to their scores in the text leg: the sum of weight · value (RNK-10).
      class RecallFeatures
        include Base::ShortInspect

        PAGE_RANK = "pagerank_fea"
        # The maximum number of features of a question that count in recall.
        MOST_FEATURES = 16

        # @return [Array<String>] the names of the features
        attr_reader :paths

        # @param rank_feature [Hash{String=>Float}, nil]
        # @return [RecallFeatures, nil] the features of a search, nil if there are none
        def self.of(rank_feature)
          return nil if rank_feature.nil?

          features = new(rank_feature)
          features.paths.empty? ? nil : features
        end

        # @param rank_feature [Hash{String=>Float}] feature → weight; `pagerank_fea` is the page rank of a document, any
        #   other name a tag
        # @raise [InvalidInputError] not an object of finite numbers, or of too many
        def initialize(rank_feature)
          given = Base::Validation.mapping("rank_feature", rank_feature)
          if given.size > MOST_FEATURES
            raise InvalidInputError, "rank_feature must hold at most #{MOST_FEATURES} names where it counts in " \
                                     "recall, not #{given.size}"
          end
          @weights = given.map do |name, weight|
            [Documents::FieldPath.of(name == PAGE_RANK ? name : Documents::FieldPath::TAGS + name),
             Base::Validation.number(Base::Validation.member("rank_feature", name), weight)]
          end
          @paths = @weights.map { |path, _| path.name }.freeze
          freeze
        end

        # Return the text leg with the features of its documents.
        #
        # @param text [Array<Array(String, Float)>] all documents that match the text, with their scores
        # @param topn [Integer] the maximum number of documents in the leg
        # @yieldparam path [Documents::FieldPath]
        # @yieldparam identifiers [Array<String>]
        # @yieldreturn [Array] the values of documents at a path
        # @return [FeaturedLeg]
        # @raise [InvalidInputError] a sum is not finite
        def leg(text, topn, &)
          scores = text.to_h
          features = feature_scores(scores.keys, &)
          ranking = Base::Ordering.rank_fused(scores.to_h { |one, score| [one, score + features.fetch(one)] })
          kept = Base::Slices.head(ranking, topn)
          ids = kept.map(&:first)
          FeaturedLeg.new(kept, scores.slice(*ids), features.slice(*ids))
        end

        private

        # Return id → the sum of weight · value, from left to right; a value that is not a number counts as 0.
        def feature_scores(identifiers)
          totals = identifiers.to_h { |one| [one, 0.0] }
          @weights.each do |path, weight|
            values = yield path, identifiers
            identifiers.each_with_index do |one, index|
              totals[one] = totals.fetch(one) + (weight * number(values[index]))
            end
          end
          totals
        end

        def number(value)
          return 0.0 unless value.is_a?(::Float) || value.is_a?(::Integer)

          found = value.to_f
          found.finite? ? found : 0.0
        end
      end
    end
  end
end
