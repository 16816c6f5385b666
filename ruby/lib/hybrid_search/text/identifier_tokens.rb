# frozen_string_literal: true

require "set"

module HybridSearch
  module Text
    # Finds the identifiers of texts that a tokenizer takes apart, such as `6-2-1` and `src/a/b.py` (TXT-10).
    class IdentifierTokens
      include Base::ShortInspect

      # The longest identifier that is a token, in code points.
      LONGEST_IDENTIFIER = 256

      # @param tokenizer [#normalize] normalises texts
      def initialize(tokenizer)
        @tokenizer = tokenizer
        @identifiers = Identifiers.new
        freeze
      end

      # The identifiers of a text that are not among its tokens. Each is followed by the identifiers between its `/`,
      # `@` and `:`. Numbers have no commas. Neither words joined by hyphens nor single letters joined by stops count.
      #
      # @param text [String] as it was given
      # @param known [Array<String>] the tokens that the tokenizer makes of the text
      # @return [Array<String>] in order, with repeats
      def tokens(text, known)
        among(found(text), known)
      end

      # @param found [Array<String>] what {Identifiers#found} gives of the prepared text
      # @param known [Array<String>] as for {tokens}
      # @return [Array<String>] as {tokens}
      def among(found, known)
        known = known.to_set
        kept(found).map { |word| word.delete(",") }.reject { |token| known.include?(token) }
      end

      # @param text [String] as it was given
      # @return [Array<String>] as {tokens}, but all of them, and numbers as they are written
      def written(text)
        kept(found(text))
      end

      private

      def found(text)
        @identifiers.found(@identifiers.prepare(@tokenizer.normalize(text)))
      end

      def kept(found)
        short = found.select { |word| word.size <= LONGEST_IDENTIFIER }
        words = short.flat_map { |word| [word, *@identifiers.enclosed(word)] }
        words.reject { |word| @identifiers.prose?(word) }
      end
    end
  end
end
