# frozen_string_literal: true

module HybridSearch
  module Readers
    # A path with `*`, `?` and `**` (FIL-1): matches paths, segment by segment; `**` matches any number of folders.
    class GlobPattern
      ONE = "?"
      ANY = "*"
      ANY_FOLDERS = "**"
      private_constant :ONE, :ANY, :ANY_FOLDERS

      # @return [String] the path before the first segment with a special character; "" is the current folder
      attr_reader :folder

      # @param text [String]
      # @return [Boolean] whether a text has a special character
      def self.magic?(text)
        text.include?(ANY) || text.include?(ONE)
      end

      # @param pattern [String] the pattern, a path in its plain form
      def initialize(pattern)
        @segments = segments(pattern)
        fixed = @segments.take_while { |segment| !GlobPattern.magic?(segment) }.join("/")
        @folder = fixed.empty? && pattern.start_with?("/") ? "/" : fixed
      end

      # @param path [String]
      # @return [Boolean] whether a whole path matches
      def matches?(path)
        match?(@segments, segments(path), ANY_FOLDERS) do |wanted, name|
          match?(wanted.chars, name.chars, ANY) { |one, letter| one == letter || one == ONE }
        end
      end

      # @return [String] one short line
      def inspect
        "#<#{self.class} #{@segments.join("/")}>"
      end

      private

      # Return the segments of a path; an empty path is one empty segment.
      def segments(path)
        path.empty? ? [""] : path.split("/", -1)
      end

      # Return whether the parts match a pattern in which a joker stands for any number of parts. Only the last joker is
      # ever tried again, so the cost is at most the product of both lengths.
      def match?(pattern, parts, joker)
        place = part = 0
        last_joker = tried = nil
        while part < parts.size
          if place < pattern.size && pattern[place] == joker
            last_joker = place
            tried = part
            place += 1
          elsif place < pattern.size && yield(pattern[place], parts[part])
            place += 1
            part += 1
          elsif last_joker
            place = last_joker + 1
            part = tried += 1
          else
            return false
          end
        end
        pattern.drop(place).all?(joker)
      end
    end
  end
end
