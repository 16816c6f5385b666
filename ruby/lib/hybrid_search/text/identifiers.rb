# frozen_string_literal: true

require "set"

module HybridSearch
  module Text
    # Finds product and rule numbers such as `6-2-1`, `R1-750` and `MisraC++` in a text, and their parts (TXT-7);
    # stateless.
    class Identifiers
      include Base::ShortInspect

      # The W of the clause is ALPHABETIC or DIGIT.
      ALPHABETIC = Base::Characters.character_class("ALPHABETIC").pattern.freeze
      DIGIT = Base::Characters.character_class("DIGIT").pattern.freeze
      MARK = Base::Characters.character_class("MARK").pattern.freeze
      UPPER = Base::Characters.character_class("UPPER").pattern.freeze
      LOWER = Base::Characters.character_class("LOWER").pattern.freeze
      RUN = "[#{ALPHABETIC}#{DIGIT}]+".freeze
      TAIL = "(?:(?:\\+\\+|\\#)?[-_./&@+\\#]#{RUN}|:(?=[0-9])#{RUN}|\\+\\+#{RUN})*(?:\\+\\+|\\+|\\#)?".freeze
      NUMBER = "[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]+)?%?|[0-9]+(?:\\.[0-9]+)?%|[0-9]+\\.[0-9]+(?![0-9]|\\.[0-9])"
      # Each number and each tail has one of these: a digit, `+`, `#`, or another joint before what may be a run.
      HINT = %r{[0-9+\#]|[-_./&@](?![\x00-/:-@\[-`\{-\x7f]|\z)}
      DASH = /[\u2010\u2011\u2212]/
      PIECE_SEPARATOR = %r{[/@:]}
      private_constant :ALPHABETIC, :DIGIT, :MARK, :UPPER, :LOWER, :RUN, :TAIL, :NUMBER, :HINT, :DASH, :PIECE_SEPARATOR

      # The patterns over the classes of UNI-1; each is made when it is first used, since that takes long.
      module Patterns
        module_function

        def number
          /\A(?:#{NUMBER})\z/o
        end

        def identifier
          /\A#{RUN}(#{TAIL})\z/o
        end

        # Return a pattern for a number, a run with its continuation in an identifier, or the text between.
        def piece
          /(#{NUMBER})|(#{RUN})(#{TAIL})|([^#{ALPHABETIC}#{DIGIT}]+)/o
        end

        def found
          /(#{NUMBER})|(#{RUN})(#{TAIL})/o
        end

        def run
          /#{RUN}/o
        end

        def one_run
          /\A#{RUN}\z/o
        end

        def prose
          %r{\A(?:[#{ALPHABETIC}]+(?:-[#{ALPHABETIC}]+)+|[#{ALPHABETIC}](?:[-./][#{ALPHABETIC}])+)\z}o
        end

        # Return a pattern for a letter or mark outside ASCII, which makes a run one of TXT-4.
        def foreign
          /[[#{ALPHABETIC}]&&[^\u0000-\u007F]]/o
        end

        def lone
          /\A[#{UPPER}#{DIGIT}]\z/o
        end

        def case_change
          /(?<=[#{LOWER}])[#{MARK}]*(?=[#{UPPER}])/o
        end

        def two_sides
          /\A(?:([#{ALPHABETIC}]+)([#{DIGIT}]+)|([#{DIGIT}]+)([#{ALPHABETIC}]+))\z/o
        end

        def dash_between_digits
          /(?<=[#{DIGIT}])[\u2012-\u2015](?=[#{DIGIT}])/o
        end
      end
      private_constant :Patterns

      def initialize
        @normalizer = Normalizer.new
        freeze
      end

      # Return the text in the form that the other methods read: half-width, with its case, with dashes as `-`.
      #
      # U+2010, U+2011 and U+2212 become `-`; U+2012 … U+2015 do so between digits.
      #
      # @param text [String]
      # @return [String]
      # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
      def prepare(text)
        text = Base::Validation.text("text", text)
        return text if text.ascii_only?

        @normalizer.half_width(text).gsub(DASH, "-").gsub(Patterns.dash_between_digits, "-")
      end

      # Split a text into the tokens of TXT-7 and the text between them, which the segmenter will cut.
      #
      # @param text [String] a text that {prepare} returned
      # @return [Array<Array(String, Boolean)>] pairs of piece and whether it is a token; joined, the pieces are the
      #   text again
      def pieces(text)
        found = []
        start = place = 0
        text.scan(Patterns.piece) do |number, run, tail, gap|
          size = (gap || number || run).bytesize + (tail ? tail.bytesize : 0) # whole numbers
          if gap.nil? && (number || !tail.empty? || foreign?(run))
            found << [text.byteslice(start, place - start), false] if place > start
            found << [text.byteslice(place, size), true]
            start = place + size
          end
          place += size
        end
        found << [text.byteslice(start, place - start), false] if place > start
        found
      end

      # Return the numbers and identifiers of a text.
      #
      # @param text [String] a text that {prepare} returned
      # @return [Array<String>] in order, with repeats
      def found(text)
        return [] unless text.match?(HINT)

        text.scan(Patterns.found).filter_map { |number, run, tail| number || (tail.empty? ? nil : "#{run}#{tail}") }
      end

      # Return the numbers and identifiers between the `/`, `@` and `:` of an identifier.
      #
      # @param token [String] a token that {found} returned
      # @return [Array<String>] empty if it has no such character
      def enclosed(token)
        pieces = token.split(PIECE_SEPARATOR)
        pieces.size == 1 ? [] : pieces.grep_v(Patterns.one_run)
      end

      # @param token [String]
      # @return [Boolean] whether it is words of letters joined by hyphens (`sub-expressions`), or single letters
      #   (`i.e`)
      def prose?(token)
        Patterns.prose.match?(token)
      end

      # Return the parts of a token.
      #
      # The parts of an identifier are the pieces between `/`, `@`, `:`, then each run of letters and digits followed by
      # its own pieces. The parts of a mere run (`sha256`) are its pieces at changes of case, and its two sides if it
      # changes exactly once between letters and digits. Numbers and all other tokens have no parts.
      #
      # @param token [String]
      # @return [Array<String>] each part once, never the token itself
      # @raise [InvalidInputError] `token` is not a text, or not valid UTF-8 (UNI-2)
      def parts(token)
        token = Base::Validation.text("token", token)
        match = Patterns.number.match?(token) ? nil : Patterns.identifier.match(token)
        return [] unless match

        found = match[1].empty? ? [] : token.split(PIECE_SEPARATOR)
        token.scan(Patterns.run) { |run| found.push(run).concat(changes(run)) }
        found.uniq - [token]
      end

      # @param token [String]
      # @return [Boolean] whether it is a single capital letter or digit, which is not a keyword but a part
      def lone?(token)
        Patterns.lone.match?(token)
      end

      private

      # Return whether a run is one of TXT-4.
      def foreign?(run)
        !run.ascii_only? && Patterns.foreign.match?(run)
      end

      # Split a run of letters and digits at changes of case and at its change between letters and digits.
      def changes(run)
        found = run.match?(Patterns.case_change) ? case_pieces(run) : []
        sides = Patterns.two_sides.match(run)
        sides ? found.concat(sides.captures.compact) : found
      end

      # Split a run at changes of case. It has no blanks, so they can mark the cuts; asking each match for its position
      # would count characters from the start.
      def case_pieces(run)
        run.gsub(Patterns.case_change) { |marks| "#{marks} " }.split
      end
    end

    # Finds the identifiers that a tokenizer takes apart, such as `6-2-1` and `src/a/b.py` (TXT-10).
    class IdentifierTokens
      include Base::ShortInspect

      # Maximum length of an identifier that is a token, in code points.
      LONGEST_IDENTIFIER = 256

      # @param tokenizer [#normalize] normalises texts
      def initialize(tokenizer)
        @tokenizer = tokenizer
        @identifiers = Identifiers.new
        freeze
      end

      # Return the identifiers of a text that are not among its tokens. Each is followed by the identifiers between its
      # `/`, `@` and `:`. Numbers have no commas. Words joined by hyphens do not count, nor do single letters joined by
      # stops.
      #
      # @param text [String] a text before normalisation
      # @param known [Array<String>] the tokens of the text by the tokenizer
      # @return [Array<String>] in order, with repeats
      def tokens(text, known)
        among(words(found(text)), known)
      end

      # @param found [Array<String>] the result of {Identifiers#found} for the prepared text
      # @return [Array<String>] the identifiers of the text
      def words(found)
        kept(found).map { |word| word.delete(",") }
      end

      # @param words [Array<String>] the identifiers of a text
      # @param known [Array<String>] as for {tokens}
      # @return [Array<String>] those that are not among its tokens
      def among(words, known)
        return words if words.empty?

        known = known.to_set
        words.reject { |token| known.include?(token) }
      end

      # @param text [String] a text before normalisation
      # @return [Array<String>] all identifiers, whether or not they are tokens, with numbers as they are written
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
