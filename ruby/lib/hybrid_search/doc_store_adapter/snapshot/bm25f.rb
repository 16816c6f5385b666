# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # BM25F: one score of a bag of tokens over several fields of a document (DOC-9).
      module Bm25f
        # The saturation of repeated tokens.
        K1 = 1.2
        # The strength of length normalization, 0 to 1.
        B = 0.75

        module_function

        # @param documents [Integer] the number of documents
        # @param holding [Integer] the number of documents that contain the token in one of the searched fields
        # @return [Float] the weight of the token, which is above 0
        def idf(documents, holding)
          Math.log(1.0 + ((documents - holding + 0.5) / (holding + 0.5)))
        end

        # @param weight [Float] the weight of the field
        # @param count [Integer] the number of occurrences of the token in the field
        # @param length [Integer] the number of tokens of the field
        # @param average_length [Float] the mean of `length` over all documents whose field is not empty
        # @return [Float] the share of the field in the token's frequency
        def frequency(weight, count, length, average_length)
          weight * count / ((1.0 - B) + (B * length / average_length))
        end

        # @param count [Integer] the number of occurrences of the token in the question
        # @param weight [Float] the idf of the token
        # @param total [Float] the frequency of the token in a document, over all fields
        # @return [Float] the score of the token
        def score(count, weight, total)
          count * (weight * (total / (total + K1)))
        end
      end
    end
  end
end
