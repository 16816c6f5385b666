# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The BM25 of `rank_bm25.BM25Okapi` and that of Lucene (DOC-3): the formula of one variant.
      class Bm25
        include Base::ShortInspect

        VARIANTS = %w[okapi lucene].freeze

        # @return [String] "okapi" or "lucene"
        attr_reader :variant
        # @return [Float] the saturation of repeated terms
        attr_reader :k1
        # @return [Float] the strength of length normalization, 0 to 1
        attr_reader :b
        # @return [Float] the part of the average idf to which a negative idf is raised; okapi only
        attr_reader :epsilon

        # @param variant [String] "okapi" or "lucene"
        # @return [Bm25] the variant of this name, with its constants (okapi k1 1.5, lucene k1 1.2, b 0.75)
        def self.of(variant)
          variant = Base::Validation.choice("bm25", variant, VARIANTS)
          new(variant, variant == "okapi" ? 1.5 : 1.2, 0.75, 0.25)
        end

        def initialize(variant, k1, b, epsilon)
          @variant = variant
          @k1 = k1
          @b = b
          @epsilon = epsilon
          freeze
        end

        # @param documents [Integer] the number of documents that have the field
        # @param holding [Integer] the number of those that contain the term; at least 1
        # @return [Float] the idf of a term before any floor
        def raw_idf(documents, holding)
          return Math.log(1.0 + ((documents - holding + 0.5) / (holding + 0.5))) if @variant == "lucene"

          Math.log(documents - holding + 0.5) - Math.log(holding + 0.5)
        end

        # Return the mean of the raw idf over all terms of a field.
        #
        # The sum adds terms in ascending order of their document frequency, and those of equal frequency as one product
        # (count · idf). This order does not depend on the order of documents (ORD-3). `rank_bm25` adds term by term in
        # the order of the corpus, so that its average may differ in the last bits. Scores differ only for terms whose
        # idf is raised to the floor.
        #
        # @param documents [Integer] the number of documents that have the field
        # @param counts [Hash{Integer=>Integer}] document frequency => the number of terms that have it; at least one
        # @return [Float]
        def average_idf(documents, counts)
          total = 0.0
          terms = 0
          counts.sort.each do |frequency, count|
            total += count * raw_idf(documents, frequency)
            terms += count
          end
          total / terms
        end

        # @param length [Integer] the number of tokens of the field
        # @param average_length [Float] the mean of `length` over all documents with the field
        # @return [Float] the length normalization of a document
        def saturation_length(length, average_length)
          @k1 * (1 - @b + (@b * length / average_length))
        end

        # @param idf [Float] the idf of the term, with the floor
        # @param frequency [Integer, Float] the number of occurrences of the term, or the phrase frequency
        # @param saturation_length [Float] a result of `saturation_length`
        # @return [Float] the score of a term in a document
        def score(idf, frequency, saturation_length)
          saturation = frequency + saturation_length
          return idf * (frequency / saturation) if @variant == "lucene"

          idf * (frequency * (@k1 + 1) / saturation)
        end
      end
    end
  end
end
