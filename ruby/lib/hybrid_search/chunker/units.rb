# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # A part of a text that is not cut.
    class Unit
      include Base::ShortInspect

      # @return [Integer] its offset in the text, in code points
      attr_reader :start
      # @return [Integer] the offset behind it
      attr_reader :end
      # @return [Integer] how many tokens it has
      attr_reader :tokens
      # @return [Integer] the level of the boundary before it
      attr_reader :level

      def initialize(start, last, tokens, level)
        @start = start
        @end = last
        @tokens = tokens
        @level = level
        freeze
      end
    end

    # Makes the units of the sections of one text: sentences and lines, and the parts of those that are too large
    # (CHK-4).
    class UnitMaker
      include Base::ShortInspect

      LINES = /[^\n\r\f]*[\n\r\f]+|[^\n\r\f]+/
      white = Base::Characters.character_class("WHITE").pattern
      WORDS = /[#{white}]+|[^#{white}]+/
      NOT_WHITE = /[^#{white}]/
      private_constant :LINES, :WORDS, :NOT_WHITE

      # @param text [SourceText] the whole text
      # @param counter [TokenCounter]
      # @param size [Integer] what no unit has more tokens than, if it can be cut at all
      def initialize(text, counter, size)
        @text = text
        @counter = counter
        @size = size
        freeze
      end

      # @param section [Section]
      # @return [Array<Unit>] its units in order; its headings are one with the unit behind them
      def units(section)
        found = []
        heading = nil
        section.passages.each do |passage|
          parts(passage).each do |start, last, level|
            if passage.kind == :heading
              heading = [heading ? heading[0] : start, last]
            elsif heading
              add(found, heading[0], last, Section::BLOCK, Section::WORD)
              heading = nil
            else
              add(found, start, last, level, Section::LINE)
            end
          end
        end
        add(found, heading[0], heading[1], Section::BLOCK, Section::WORD) if heading
        found
      end

      private

      # Start, end and level of the sentences or lines of a passage, or of the whole of a heading.
      def parts(passage)
        return lines(passage) if passage.kind == :lines

        begun = passage.lines.fetch(0).start
        text = @text.part(begun, passage.lines.fetch(-1).end)
        texts = passage.kind == :heading ? [text] : Sentences.sentences(text)
        trimmed(begun, texts).each_with_index.map do |(start, last), index|
          [start, last, index.zero? ? passage.level : Section::SENTENCE]
        end
      end

      # Add a unit, or, if it is too large, its parts by the boundaries of the level `cut` and those below.
      def add(found, start, last, level, cut)
        text = @text.part(start, last)
        tokens = @counter.count(text)
        if tokens <= @size || cut > Section::PIECE
          found << Unit.new(start, last, tokens, level)
          return
        end
        trimmed(start, parts_of(text, cut)).each do |first, behind|
          add(found, first, behind, level, cut + 1)
          level = cut
        end
      end

      def parts_of(text, level)
        case level
        when Section::LINE then text.scan(LINES)
        when Section::CLAUSE then Sentences.clauses(text)
        when Section::WORD then text.scan(WORDS)
        else TokenCounter.tokens(text)
        end
      end

      def lines(passage)
        level = passage.level
        found = []
        passage.lines.each do |line|
          last = line.text.rindex(NOT_WHITE)
          if last
            found << [line.start, line.start + last + 1, level]
            level = Section::SENTENCE
          else
            level = [level, Section::PARAGRAPH].min
          end
        end
        found
      end

      # Start and end of consecutive texts without WHITE at their ends; those of WHITE alone are left out.
      def trimmed(start, texts)
        found = []
        texts.each do |text|
          first = text.index(NOT_WHITE)
          found << [start + first, start + text.rindex(NOT_WHITE).to_i + 1] if first
          start += text.length
        end
        found
      end
    end
  end
end
