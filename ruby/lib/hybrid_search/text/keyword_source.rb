# frozen_string_literal: true

module HybridSearch
  module Text
    # What keywords may be asked of, checked where it is given (ERR-3).
    module KeywordSource
      ACCEPTED = "a KeywordExtractor, or an object with extract"
      private_constant :ACCEPTED

      module_function

      # @param name [String] what the argument is called
      # @param value [#extract, nil]
      # @return [#extract] what finds keywords, that was given; the default {KeywordExtractor} of nil
      # @raise [InvalidInputError] it has no `extract`
      def accept(name, value)
        value.nil? ? KeywordExtractor.new : Base::ObjectChecks.having(name, value, %w[extract], ACCEPTED)
      end
    end
  end
end
