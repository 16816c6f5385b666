# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Removes blanks that a rerank model's text does without (RNK-2): two passes, each once from left to right without
    # overlaps.
    module Spacing
      FIRST = "A-Z#{QueryBuilders::Words.text("spacing_before_first")}".freeze
      SECOND = "A-Z#{QueryBuilders::Words.text("spacing_after_second")}".freeze
      AFTER = /([^#{FIRST}]) +([^ ])/
      BEFORE = /([^ ]) +([^#{SECOND}])/
      NO_BLANK = /[^ ]/
      private_constant :FIRST, :SECOND, :AFTER, :BEFORE, :NO_BLANK

      module_function

      # The text without the blanks that follow a character other than `a-z 0-9 . , ) >`, then without those that
      # precede one other than `a-z 0-9 . , ( <`; the case of ASCII letters does not matter.
      #
      # @param text [String]
      # @return [String]
      def remove_redundant(text)
        last = text.rindex(NO_BLANK)
        return text.dup unless last

        # No blank at the end can be part of what is looked for; the pattern would try it from each of them.
        body = text[0..last]
        "#{body.gsub(AFTER, '\1\2')}#{text[(last + 1)..]}".gsub(BEFORE, '\1\2')
      end
    end
  end
end
