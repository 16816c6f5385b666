# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # Consecutive lines of one kind.
    class Passage
      include Base::ShortInspect

      # @return [Array<SourceLine>] at least one line; the first and last are not blank
      attr_reader :lines
      # @return [Integer] the level of the boundary before it
      attr_reader :level
      # @return [Symbol] `:heading`, `:prose` or `:lines`: the parts of prose are sentences; the parts of code, tables
      #   and front matter are lines
      attr_reader :kind

      def initialize(lines, level, kind)
        @lines = lines
        @level = level
        @kind = kind
        freeze
      end
    end

    # The structure of a document before sizes matter (CHK-2, CHK-3): the passages under one heading, on one page.
    #
    # The constants are the levels of boundaries, the strongest first; a text is cut at the strongest level at which its
    # parts fit the size.
    class Section
      include Base::ShortInspect

      BLOCK = 1
      ITEM = 2
      # Items nested deeper than this have boundaries of this depth.
      DEEPEST_ITEM = 7
      # Lines of code after a blank line.
      PARAGRAPH = ITEM + DEEPEST_ITEM + 1
      SENTENCE = PARAGRAPH + 1
      LINE = SENTENCE + 1
      CLAUSE = LINE + 1
      WORD = CLAUSE + 1
      PIECE = WORD + 1

      # @return [Array<String>] the path of its headings, the outermost first
      attr_accessor :headings
      # @return [Integer, nil] the page on which it starts; nil for a text without form feeds
      attr_reader :page
      # @return [Array<Passage>] at least one; headings come first
      attr_reader :passages

      def initialize(headings, page)
        @headings = headings
        @page = page
        @passages = []
      end
    end
  end
end
