# frozen_string_literal: true

module HybridSearch
  module Text
    # Checks that a keyword extractor has the method that will be called (ERR-3).
    module KeywordSource
      ACCEPTED = "a KeywordExtractor, or an object with extract"
      private_constant :ACCEPTED

      module_function

      # @param name [String] the name of the argument
      # @param value [#extract, nil]
      # @return [#extract] the given keyword extractor; the default {KeywordExtractor} for nil
      # @raise [InvalidInputError] the value has no `extract`
      def accept(name, value)
        value.nil? ? KeywordExtractor.new : Base::ObjectChecks.having(name, value, %w[extract], ACCEPTED)
      end
    end
  end
end
