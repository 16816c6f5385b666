# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # BM25 as in `rank_bm25.BM25Okapi`, and as in Lucene (DOC-3): the formula of one variant.
      class Bm25
        include Base::ShortInspect

        VARIANTS = %w[okapi lucene].freeze

        # @return [String] "okapi" or "lucene"
        attr_reader :variant
        # @return [Float] how soon repetition saturates
        attr_reader :k1
        # @return [Float] how much long documents are held back
        attr_reader :b
        # @return [Float] the part of the average idf that a negative idf is raised to; okapi only
        attr_reader :epsilon

        # @param variant [String] "okapi" or "lucene"
        # @return [Bm25] with the variant's constants (okapi k1 1.5, lucene k1 1.2, b 0.75)
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

        # @param documents [Integer] how many documents have the field
        # @param holding [Integer] how many of them hold the term; at least 1
        # @return [Float] the idf of a term before any floor
        def raw_idf(documents, holding)
          return Math.log(1.0 + ((documents - holding + 0.5) / (holding + 0.5))) if @variant == "lucene"

          Math.log(documents - holding + 0.5) - Math.log(holding + 0.5)
        end

        # The mean of the raw idf over all terms of a field.
        #
        # Terms are taken by document frequency ascending, equal ones at once (count · idf): an order that does not
        # depend on the order of documents (ORD-3). `rank_bm25` adds term by term in the order of the corpus, so its
        # average may differ in the last bits; scores do only for terms that the floor raises.
        #
        # @param documents [Integer] how many documents have the field
        # @param counts [Hash{Integer=>Integer}] document frequency => how many terms have it; at least one
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

        # @param length [Integer] how many tokens the field has
        # @param average_length [Float] the mean of `length` over all documents with the field
        # @return [Float] how much the length of a document holds its scores back
        def saturation_length(length, average_length)
          @k1 * (1 - @b + (@b * length / average_length))
        end

        # @param idf [Float] of the term, floored
        # @param frequency [Integer, Float] how often it is there, or the phrase frequency
        # @param saturation_length [Float] see `saturation_length`
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
