# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # The character classes of UNI-1, read from the generated table `ruby/data/characters.json`.
    #
    # Use these classes instead of `\w`, `\s`, `\d`, `[[:alpha:]]`, `split` and `strip`, whose meaning differs by
    # language.
    module Characters
      # A set of code points given as sorted, disjoint, inclusive ranges.
      class CharacterClass
        include ShortInspect

        # @return [String]
        attr_reader :name
        # @return [Array<Array(Integer, Integer)>]
        attr_reader :ranges

        def initialize(name, ranges)
          @name = name
          @ranges = ranges.freeze
          freeze
        end

        # @param character [String] one character
        # @return [Boolean]
        def include?(character)
          point = character.ord
          found = @ranges.bsearch { |range| range[1] >= point }
          !found.nil? && found[0] <= point
        end

        # @param other [CharacterClass]
        # @return [CharacterClass] the characters that are in this class and not in `other`
        def without(other)
          left = @ranges.flat_map do |start, last|
            from = other.ranges.bsearch_index { |range| range[1] >= start } || other.ranges.size
            inside = (other.ranges[from..] || []).take_while { |range| range[0] <= last }
            starts = [start, *inside.map { |range| range[1] + 1 }]
            starts.zip([*inside.map { |range| range[0] - 1 }, last]).reject { |first, behind| first > behind }
          end
          CharacterClass.new("#{@name} without #{other.name}", left)
        end

        # @return [String] the class as the inside of a regular expression's brackets
        def pattern
          @ranges.map { |first, last| first == last ? escape(first) : "#{escape(first)}-#{escape(last)}" }.join
        end

        private

        def escape(point)
          "\\u{#{point.to_s(16)}}"
        end
      end

      TABLE = JSON.parse(
        File.binread(File.expand_path("../../../data/characters.json", __dir__)).force_encoding("UTF-8")
      )
                  .fetch("classes")
                  .to_h { |name, ranges| [name.freeze, CharacterClass.new(name.freeze, ranges)] }
                  .freeze
      private_constant :TABLE

      SPACE = " "
      OTHER_WHITE = TABLE.fetch("WHITE").ranges.flat_map { |first, last| (first..last).to_a }
                         .reject { |point| point == SPACE.ord }.pack("U*").freeze
      # Counting these takes no table of wide characters.
      OTHER_WHITE_OF_ASCII = OTHER_WHITE.delete("^\u0000-\u007F").freeze
      WHITE_INSIDE = TABLE.fetch("WHITE").pattern
      WHITE_RUN = /[#{WHITE_INSIDE}]+/
      WHITE_FIRST = /\A[#{WHITE_INSIDE}]/
      WHITE_LAST = /[#{WHITE_INSIDE}]\z/
      NOT_WHITE = /[^#{WHITE_INSIDE}]/
      private_constant :SPACE, :OTHER_WHITE, :OTHER_WHITE_OF_ASCII, :WHITE_INSIDE, :WHITE_RUN, :WHITE_FIRST,
                       :WHITE_LAST, :NOT_WHITE

      module_function

      # @param name [String] WHITE, LETTER, MARK, DIGIT, NUMBER, HAN, KANA, HANGUL, ALPHABETIC, LATIN …
      # @return [CharacterClass]
      # @raise [InvalidInputError] no class has this name
      def character_class(name)
        TABLE.fetch(name) { raise InvalidInputError, "unknown character class. Known: #{TABLE.keys.join(", ")}" }
      end

      # @return [String] the text without WHITE at both ends: *stripped* in the clauses
      def strip(value)
        return value unless value.match?(WHITE_FIRST) || value.match?(WHITE_LAST)

        first = value.index(NOT_WHITE)
        first ? value[first..value.rindex(NOT_WHITE)] : ""
      end

      # @return [Array<String>] the pieces between runs of WHITE, without empty ones
      def split_white(value)
        # Most texts contain no other white space than blanks, and splitting those without a pattern is much faster.
        return value.split(SPACE) if value.count(value.ascii_only? ? OTHER_WHITE_OF_ASCII : OTHER_WHITE).zero?

        value.split(WHITE_RUN).reject(&:empty?)
      end
    end
  end
end
