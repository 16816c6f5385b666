# frozen_string_literal: true

module HybridSearch
  module Text
    # Extracts the tokens of a document's texts, the parts of tokens, and identifiers (TXT-4, TXT-5, TXT-10), by passing
    # each text and each token to a tokenizer.
    class Analyzer
      include Base::ShortInspect

      # @param tokenizer [#tokenize, #fine_grained, #normalize] cuts texts into tokens
      def initialize(tokenizer)
        @tokenizer = tokenizer
        @identifiers = IdentifierTokens.new(tokenizer)
      end

      # @param text [String]
      # @return [Array<String>] its tokens, in order (TXT-4)
      def tokens(text)
        @tokenizer.tokenize(text)
      end

      # @param tokens [Array<String>]
      # @return [Array<String>] the parts of each, in order (TXT-5)
      def fine_grained(tokens)
        tokens.flat_map { |token| @tokenizer.fine_grained(token) }
      end

      # @param text [String]
      # @param known [Array<String>] tokens
      # @return [Array<String>] the identifiers of the text that are not among the known tokens, in order, with repeats
      #   (TXT-10)
      def identifiers(text, known)
        @identifiers.tokens(text, known)
      end
    end
  end
end
