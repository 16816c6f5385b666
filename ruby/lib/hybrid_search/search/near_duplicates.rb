# frozen_string_literal: true

module HybridSearch
  module Search
    # A hit that is folded into a better one.
    class Duplicate
      include Base::ShortInspect

      # @return [String] its id
      attr_reader :id
      # @return [Float] the similarity of its text to that of the better hit
      attr_reader :similarity

      def initialize(id, similarity)
        @id = id
        @similarity = similarity
        freeze
      end
    end

    # Folds hits into better ones whose texts are nearly the same (ARR-2).
    #
    # Only hits that share one of their first shingles are compared: two sets that are at least as similar as `lowest`
    # have one of these in common, in any order of shingles.
    class NearDuplicates
      include Base::ShortInspect

      # The maximum number of preceding hits with which a hit is compared.
      WINDOW = 64

      # @return [Hash{String=>Array<Duplicate>}] the folded hits, by the hit into which they are folded
      attr_reader :duplicates

      # @param lowest [Float] the lowest similarity of a duplicate, 0.5 to 1
      def initialize(lowest)
        @lowest = lowest
        @kept = []
        @places = {}
        @duplicates = {}
      end

      # @param keys [Array<RankingKey>] places in their order
      # @param documents [Hash{String=>Hash}] id → stored document
      # @return [Array<RankingKey>] the hits that remain, in the same order
      def fold(keys, documents)
        keys.reject { |key| folds?(key.id, ContentTokens.shingles(documents.fetch(key.id, {}))) }
      end

      private

      # Fold a hit and return true, or store it for comparison with later hits.
      def folds?(identifier, shingles)
        first = shingles.sort.first(shingles.size - (@lowest * shingles.size).to_i + 1)
        first.flat_map { |shingle| @places.fetch(shingle, []) }.uniq.sort.each do |place|
          better, others = @kept[place]
          next if place < @kept.size - WINDOW || others.empty?

          similarity = ContentTokens.jaccard(shingles, others)
          next if similarity < @lowest

          (@duplicates[better] ||= []) << Duplicate.new(identifier, similarity)
          return true
        end
        keep(identifier, shingles, first)
        false
      end

      def keep(identifier, shingles, first)
        first.each do |shingle|
          places = @places[shingle] ||= []
          places << @kept.size
          places.shift if places.size > WINDOW
        end
        @kept << [identifier, shingles]
      end
    end
  end
end
