# frozen_string_literal: true

module HybridSearch
  # Removes blanks that a rerank model's text does without (RNK-2): two passes, each once from left to right without
  # overlaps.
  module Spacing
    FIRST = "A-Z#{Words.text("spacing_before_first")}".freeze
    SECOND = "A-Z#{Words.text("spacing_after_second")}".freeze
    AFTER = /([^#{FIRST}]) +([^ ])/
    BEFORE = /([^ ]) +([^#{SECOND}])/
    private_constant :FIRST, :SECOND, :AFTER, :BEFORE

    module_function

    # The text without the blanks that follow a character other than `a-z 0-9 . , ) >`, then without those that precede
    # one other than `a-z 0-9 . , ( <`; the case of ASCII letters does not matter.
    #
    # @param text [String]
    # @return [String]
    def remove_redundant(text)
      text.gsub(AFTER, '\1\2').gsub(BEFORE, '\1\2')
    end
  end
end
