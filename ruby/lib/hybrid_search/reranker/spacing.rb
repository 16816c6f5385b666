# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Removes redundant blanks from a rerank model's text (RNK-2): two passes from left to right, without overlaps.
    module Spacing
      FIRST = "A-Z#{QueryBuilders::Words.text("spacing_before_first")}".freeze
      SECOND = "A-Z#{QueryBuilders::Words.text("spacing_after_second")}".freeze
      AFTER = /([^#{FIRST}]) +([^ ])/
      BEFORE = /([^ ]) +([^#{SECOND}])/
      NO_BLANK = /[^ ]/
      private_constant :FIRST, :SECOND, :AFTER, :BEFORE, :NO_BLANK

      module_function

      # Remove the blanks that follow a character other than `a-z 0-9 . , ) >`, then those that precede one other than
      # `a-z 0-9 . , ( <`; the case of ASCII letters does not matter.
      #
      # @param text [String]
      # @return [String]
      def remove_redundant(text)
        last = text.rindex(NO_BLANK)
        return text.dup unless last

        # Blanks at the end cannot match; the pattern would try each of them.
        body = text[0..last]
        "#{body.gsub(AFTER, '\1\2')}#{text[(last + 1)..]}".gsub(BEFORE, '\1\2')
      end
    end
  end
end
