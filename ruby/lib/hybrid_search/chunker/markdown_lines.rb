# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # The fence that opens fenced code; the same character, at least as often, closes it.
    class Fence
      include Base::ShortInspect

      # @return [String]
      attr_reader :character
      # @return [Integer]
      attr_reader :length

      def initialize(character, length)
        @character = character
        @length = length
        freeze
      end
    end

    # The beginning of a list item.
    class Item
      include Base::ShortInspect

      # @return [Integer] the first column of the item's content
      attr_reader :content
      # @return [Boolean] whether it may follow a line of a paragraph: it is not empty, and its number, if any, is 1
      attr_reader :interrupts

      def initialize(content, interrupts)
        @content = content
        @interrupts = interrupts
        freeze
      end
    end

    # Recognizes the lines of Markdown (CHK-3). Blanks and tabs indent; tab stops are multiples of four columns.
    module MarkdownLines
      TAB_STOP = 4
      # The maximum number of code points of a heading's text in paths and titles.
      LONGEST_HEADING = 200

      INDENT = /\A[ \t]*/
      BARE = /[^ \t]/
      NOT_A_NUMBER_SIGN = /[^#]/
      ENDS_WITH_INDENT = /[ \t]\z/
      FENCE = /\A[ \t]*(`{3,}|~{3,})/
      HEADING = /\A {0,3}(\#{1,6})(?:[ \t]|\z)/
      UNDERLINE = /\A {0,3}(?:(=+)|-+)[ \t]*\z/
      ITEM = /\A[ \t]*([-*+]|[0-9]{1,9}[.)])(?:[ \t]|\z)/
      FIRST_NUMBER = /\A0*1[.)]/
      DELIMITERS = /\A[ \t|:-]*\z/
      QUOTE = /\A[ \t]*>/
      BREAK = %w[- _ *].freeze
      private_constant :INDENT, :BARE, :NOT_A_NUMBER_SIGN, :ENDS_WITH_INDENT, :FENCE, :HEADING, :UNDERLINE,
                       :ITEM, :FIRST_NUMBER, :DELIMITERS, :QUOTE, :BREAK

      module_function

      # @param text [String]
      # @return [Integer] the number of columns before the first character that is neither a blank nor a tab
      def indent(text)
        white = text[INDENT].to_s
        return white.length unless white.include?("\t")

        white.each_char.reduce(0) do |columns, character|
          columns + (character == "\t" ? TAB_STOP - (columns % TAB_STOP) : 1)
        end
      end

      # @return [Fence, nil] the fence that a line opens; a line that opens with backticks contains no further backtick
      def fence(text)
        found = FENCE.match(text)
        return if found.nil?

        marks = found[1].to_s
        Fence.new(marks[0].to_s, marks.length) unless marks.start_with?("`") && found.post_match.include?("`")
      end

      # @return [Boolean] whether a line closes fenced code
      def closes?(text, opened)
        bare = trimmed(text)
        bare.length >= opened.length && bare == opened.character * bare.length
      end

      # @return [Array(Integer, String), nil] level and text of an ATX heading, without its closing number signs
      def heading(text)
        found = HEADING.match(text)
        return if found.nil?

        body = trimmed(found.post_match)
        last = body.rindex(NOT_A_NUMBER_SIGN)
        bare = last ? body[0..last].to_s : ""
        body = trimmed(bare) if bare.empty? || bare.match?(ENDS_WITH_INDENT)
        [found[1].to_s.length, body]
      end

      # @return [Integer, nil] the heading level of an underline, which turns the paragraph above it into a heading
      def underline(text)
        found = UNDERLINE.match(text)
        return if found.nil?

        found[1] ? 1 : 2
      end

      # @return [Boolean] whether a line is a thematic break: three or more of `-`, `_` or `*`, and blanks
      def break?(text)
        bare = text.delete(" \t")
        bare.length >= 3 && BREAK.include?(bare[0]) && bare == bare[0].to_s * bare.length
      end

      # @param text [String]
      # @param columns [Integer] its indent
      # @return [Item, nil] the list item that a line begins
      def item(text, columns)
        found = ITEM.match(text)
        return if found.nil?

        marker = found[1].to_s
        first = marker.length == 1 || marker.match?(FIRST_NUMBER)
        Item.new(columns + marker.length + 1, first && found.post_match.match?(BARE))
      end

      # @return [Boolean] whether a line belongs to a block quote
      def quote?(text)
        text.match?(QUOTE)
      end

      # @return [Boolean] whether a line may follow the head of a table
      def delimiter_row?(text)
        text.include?("|") && text.include?("-") && text.match?(DELIMITERS)
      end

      # @return [String] a text without blanks and tabs at its ends
      def trimmed(text)
        first = text.index(BARE)
        first ? text[first..text.rindex(BARE)].to_s : ""
      end
      private_class_method :trimmed
    end
  end
end
