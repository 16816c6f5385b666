# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # BM25F: one score of a bag of tokens over several fields of a document (DOC-9).
      module Bm25f
        # How soon repetition saturates.
        K1 = 1.2
        # How much long fields are held back.
        B = 0.75

        module_function

        # @param documents [Integer] how many documents there are
        # @param holding [Integer] how many of them hold the token in a field that is looked into
        # @return [Float] the weight of the token; above 0
        def idf(documents, holding)
          Math.log(1.0 + ((documents - holding + 0.5) / (holding + 0.5)))
        end

        # @param weight [Float] of a field
        # @param count [Integer] how often the field holds the token
        # @param length [Integer] how many tokens it has
        # @param average_length [Float] the mean of `length` over all documents whose field is not empty
        # @return [Float] what the field adds to the frequency of the token
        def frequency(weight, count, length, average_length)
          weight * count / ((1.0 - B) + (B * length / average_length))
        end

        # @param count [Integer] how often the question holds the token
        # @param weight [Float] its idf
        # @param total [Float] its frequency in a document, over all fields
        # @return [Float] the score of the token
        def score(count, weight, total)
          count * (weight * (total / (total + K1)))
        end
      end
    end
  end
end
