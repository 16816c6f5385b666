# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # A part of a text that is not cut.
    class Unit
      include Base::ShortInspect

      # @return [Integer] its offset in the text, in code points
      attr_reader :start
      # @return [Integer] the offset after it
      attr_reader :end
      # @return [Integer] the number of its tokens
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

    # Divides the sections of one text into the units of chunks: sentences and lines, and parts of those that are too
    # large (CHK-4).
    class UnitMaker
      include Base::ShortInspect

      LINES = /[^\n\r\f]*[\n\r\f]+|[^\n\r\f]+/
      white = Base::Characters.character_class("WHITE").pattern
      WORDS = /[#{white}]+|[^#{white}]+/
      NOT_WHITE = /[^#{white}]/
      private_constant :LINES, :WORDS, :NOT_WHITE

      # @param text [SourceText] the whole text
      # @param counter [TokenCounter]
      # @param size [Integer] maximum number of tokens of a unit that can be cut
      def initialize(text, counter, size)
        @text = text
        @counter = counter
        @size = size
        freeze
      end

      # @param section [Section]
      # @return [Array<Unit>] its units in order; its headings form one unit with the unit after them
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

      # Yield start, end and level of the sentences or lines of a passage; a heading is yielded as a whole.
      def parts(passage)
        return lines(passage) if passage.kind == :lines

        begun = passage.lines.fetch(0).start
        text = @text.part(begun, passage.lines.fetch(-1).end)
        texts = passage.kind == :heading ? [text] : Sentences.sentences(text)
        trimmed(begun, texts).each_with_index.map do |(start, last), index|
          [start, last, index.zero? ? passage.level : Section::SENTENCE]
        end
      end

      # Add a unit, or the parts of a unit that is too large, cut at boundaries of the level `cut` or below.
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

      # Yield start and end of consecutive texts without WHITE at their ends; texts of WHITE only are skipped.
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
