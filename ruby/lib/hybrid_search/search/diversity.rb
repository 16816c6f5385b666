# frozen_string_literal: true

require "set"

module HybridSearch
  module Search
    # The reason for the place of a hit.
    class MarginalRelevance
      include Base::ShortInspect

      # @return [Float] its score, 0 to 1 among the hits that may change places
      attr_reader :relevance
      # @return [Float] the highest similarity to a preceding hit; 0.0 for the first one
      attr_reader :similarity
      # @return [Float] (1 - diversity) * relevance - diversity * similarity
      attr_reader :value

      def initialize(relevance, similarity, value)
        @relevance = relevance
        @similarity = similarity
        @value = value
        freeze
      end
    end

    # Puts the best hits into the order of their maximal marginal relevance: hits that are good and unlike the preceding
    # ones (ARR-3).
    class Diversity
      include Base::ShortInspect

      # The maximum number of best hits that may change places.
      DEPTH = 100

      # @return [Hash{String=>MarginalRelevance}] id → the reason for its place
      attr_reader :parts

      # @param store [DocStoreAdapter] the documents
      # @param weight [Float] the weight of the similarity, 0 to 1; the rest is the weight of the relevance
      # @param query_vector [Array<Float>, nil] the vector of the search: vectors of its dimension are compared; nil:
      #   tokens are compared
      def initialize(store, weight, query_vector)
        @store = store
        @weight = weight
        @field = query_vector.nil? ? nil : Stores::Documents::StoredFields.vector_field(query_vector.size)
        @dimension = query_vector.nil? ? 0 : query_vector.size
        @parts = {}
      end

      # Return the hits in their new order. The first {DEPTH} hits may change places; if a model has scored hits, only
      # those. Each place goes to the hit with the highest value; the first of equal ones stays first.
      #
      # @param keys [Array<RankingKey>] places in their order
      # @return [Array<RankingKey>]
      def order(keys)
        best = keys.first(DEPTH).select { |key| key.tier == keys.first.tier }
        relevance = scaled(best.map(&:score))
        similarity = similarity(best.map(&:id))
        nearest = Array.new(best.size, 0.0)
        remaining = best.each_index.to_a
        chosen = []
        until remaining.empty?
          values = remaining.map { |index| value(relevance[index], nearest[index]) }
          place = values.index(values.max)
          index = remaining.delete_at(place)
          @parts[best[index].id] = MarginalRelevance.new(relevance[index], nearest[index], values[place])
          remaining.each do |other|
            found = similarity.call(index, other)
            nearest[other] = found if chosen.empty? || found > nearest[other]
          end
          chosen << best[index]
        end
        chosen + keys.drop(best.size)
      end

      private

      def value(relevance, similarity)
        ((1.0 - @weight) * relevance) - (@weight * similarity)
      end

      # Return the similarity of two of these documents by their places: the cosine, or the common share of their
      # tokens.
      def similarity(identifiers)
        documents = @store.get_many(identifiers, @field.nil? ? [] : [@field]).map { |document| document || {} }
        if @field.nil?
          sets = documents.map { |document| Set.new(ContentTokens.tokens(document)) }
          return ->(left, right) { ContentTokens.jaccard(sets[left], sets[right]) }
        end
        vectors = documents.map { |document| vector(document) }
        norms = vectors.map { |vector| Base::Numeric.norm(vector) }
        ->(left, right) { cosine(vectors[left], norms[left], vectors[right], norms[right]) }
      end

      # Return the vector of a document; an empty one, which is like no other, if it has none that can be compared.
      def vector(document)
        Stores::Documents::StoredFields.new.vector("", document, @field, @dimension) || []
      end

      def cosine(left, left_norm, right, right_norm)
        return 0.0 if left.empty? || right.empty?

        Base::Numeric.cosine_of(left, left_norm, right, right_norm)
      end

      # Return scores on a scale of 0 to 1: the lowest is 0, the highest 1; equal scores are all 1.
      def scaled(scores)
        lowest, highest = scores.minmax
        scores.map { |score| highest > lowest ? (score - lowest) / (highest - lowest) : 1.0 }
      end
    end
  end
end
