# frozen_string_literal: true

require "json"
require "strscan"

module HybridSearch
  module Base
    # The values of the JSON would take more memory than allowed.
    class JsonTooLargeError < JSON::JSONError
    end

    # Scans JSON once, from left to right, before anything is built from it: checks strictness and depth, and estimates
    # the memory of its values.
    #
    # Texts, numbers and words must conform to RFC 8259, with surrogates in pairs, whole numbers of at most 4,000
    # digits, and containers at most 100 levels deep. The parser checks the order in which they follow each other.
    class JsonScan
      include ShortInspect

      DEEPEST = 100
      TAIL = /[ \t\n\r]*+[,:]?+/n
      CHARACTERS = %r{
        (?>(?:[^"\\\x00-\x1F]++|\\(?:["\\/bfnrt]|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}
        |u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})){0,512})
      }nx
      TEXT = /"#{CHARACTERS}("#{TAIL})?+/n
      MORE_TEXT = /#{CHARACTERS}("#{TAIL})?+/n
      CLOSING = /[\]}]#{TAIL}/n
      NUMBER = /-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+/n
      # The maximum number of digits. As a bound in a pattern, a number this large would take time that grows with its
      # square.
      MOST_DIGITS = 4000
      NO_DIGITS = /[^0-9]++/n
      DIGITS = /[0-9]++/n
      REST = /[^ \t\n\r,:]++/n
      PLAIN = /(?>(?:[ \t\n\r,:]++|(?:true|false|null|#{NUMBER})(?=[ \t\n\r,:\]}]|\z)){1,512})/n
      # The size of the pieces in which a run of blanks is scanned, with a check after each piece.
      BLANK_PIECE = 65_536
      # The number of steps between two calls of `check`.
      STEPS = 1024
      BLANKS = " \t\n\r".b.freeze
      BLANK_BYTES = BLANKS.bytes.freeze
      # The bytes at these places are examined first, which is cheaper than counting.
      BLANK_PLACES = [0, 64, BLANK_PIECE - 1].freeze
      # Upper bounds of memory in bytes: of a text without its characters, of a container, and of the value that a comma
      # or colon precedes.
      PER_TEXT = 56
      PER_CONTAINER = 144
      PER_COMMA = 64
      PER_COLON = 128
      private_constant :TAIL, :CHARACTERS, :TEXT, :MORE_TEXT, :CLOSING, :NUMBER, :MOST_DIGITS, :NO_DIGITS, :DIGITS,
                       :REST, :PLAIN, :STEPS, :BLANK_PIECE, :BLANKS, :BLANK_BYTES,
                       :BLANK_PLACES, :PER_TEXT, :PER_CONTAINER, :PER_COMMA, :PER_COLON

      # @param most_bytes [Integer, nil] maximum memory of the values, plus the longest text again, since parsers
      #   unescape it in a buffer of its own; nil sets no limit
      # @param width [Integer] maximum number of bytes that a character takes in memory
      # @param check [#call, nil] called at intervals during the scan, and may raise
      def initialize(most_bytes = nil, width = 1, check = nil)
        @most_bytes = most_bytes
        @width = width
        @check = check
        @depth = @memory = @longest = 0
      end

      # Scan UTF-8.
      #
      # @param data [String] bytes, as ASCII-8BIT
      # @return [void]
      # @raise [JsonTooLargeError] the values would take too much memory
      # @raise [JSON::ParserError] a part is not strict JSON, or the nesting is too deep
      def scan(data)
        scanner = StringScanner.new(data)
        steps = 0
        until scanner.eos?
          part(scanner, data.getbyte(scanner.pos))
          refuse("nested too deeply") if @depth > DEEPEST
          raise JsonTooLargeError, "too large" if @most_bytes && @memory + @longest > @most_bytes

          steps += 1
          @check&.call if (steps % STEPS).zero?
        end
      end

      private

      def part(scanner, byte)
        case byte
        when 0x22 then text(scanner)
        when 0x5B, 0x7B then opening(scanner)
        when 0x5D, 0x7D then closing(scanner)
        else plain(scanner)
        end
      end

      def text(scanner)
        start = scanner.pos
        skip(scanner, TEXT)
        until scanner[1]
          @check&.call
          refuse("a text that is not closed, or holds what no text may") if skip(scanner, MORE_TEXT).zero?
        end
        characters = @width * (scanner.pos - start)
        @memory += PER_TEXT + PER_COLON + characters
        @longest = characters if characters > @longest
      end

      def opening(scanner)
        scanner.pos += 1
        @depth += 1
        @memory += PER_CONTAINER
      end

      def closing(scanner)
        skip(scanner, CLOSING)
        @depth -= 1
        @memory += PER_COMMA
      end

      def plain(scanner)
        return if blanks?(scanner)

        skip(scanner, PLAIN)
        matched = scanner.matched
        refuse("a whole number of too many digits") if matched.bytesize > MOST_DIGITS && long_number?(matched)
        @memory += (PER_COMMA * matched.count(",")) + (PER_COLON * matched.count(":"))
        matched.clear
      end

      # Return whether the blanks that follow fill a whole piece, and skip them if so.
      def blanks?(scanner)
        place = scanner.pos
        return false unless BLANK_PLACES.all? { |step| BLANK_BYTES.include?(scanner.string.getbyte(place + step)) }
        return false unless scanner.peek(BLANK_PIECE).count(BLANKS) == BLANK_PIECE

        scanner.pos += BLANK_PIECE
        @check&.call
        true
      end

      # Return whether a number begins with too many digits. No digits are copied to find out.
      def long_number?(matched)
        scanner = StringScanner.new(matched)
        until scanner.eos?
          scanner.skip(NO_DIGITS)
          return true if (scanner.skip(DIGITS) || 0) > MOST_DIGITS

          scanner.skip(REST)
        end
        false
      end

      def skip(scanner, pattern)
        scanner.skip(pattern) || refuse("not strict JSON")
      end

      def refuse(problem)
        raise JSON::ParserError, problem
      end
    end
  end
end
