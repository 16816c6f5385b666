# frozen_string_literal: true

module HybridSearch
  # Puts ranked documents in the order in which a language model is to read them: the best at both ends, as models
  # overlook the middle of long prompts (DFY-5).
  module Reorder
    module_function

    # @param documents [Array<Document>]
    # @return [Array<Document>] the 1st, 3rd, 5th … then the even ones backwards
    def apply(documents)
      odd, even = documents.each_with_index.partition { |_, index| index.even? }
      odd.map(&:first) + even.map(&:first).reverse
    end
  end
end
