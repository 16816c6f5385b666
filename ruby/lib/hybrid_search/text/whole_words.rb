# frozen_string_literal: true

module HybridSearch
  module Text
    # Finds a set of words in a text before any other step of tokenization (TXT-8). The leftmost match counts, and among
    # matches at one place the longest.
    #
    # Several threads may match at once. Words should be added before the first call.
    class WholeWords
      include Base::ShortInspect

      def initialize
        @words = {}
        @lengths = {}
      end

      # @param word [String] not empty
      # @return [void]
      def add(word)
        @words[word.dup.freeze] = true
        measure(word[0])
      end

      # @param word [String] not empty
      # @return [void]
      def remove(word)
        @words.delete(word)
        measure(word[0])
      end

      # Split a text into the words and the text between them.
      #
      # @param text [String]
      # @return [Array<Array(String, Boolean)>] pairs of piece and whether it is one of the words; joined, the pieces
      #   are the text again
      def pieces(text)
        return text.empty? ? [] : [[text, false]] if @words.empty?

        found = []
        characters = text.chars
        start = place = 0
        while place < characters.size
          word = longest(characters, place)
          if word
            found << [characters[start...place].join, false] if place > start
            found << [word, true]
            start = place + word.length
          end
          place += word ? word.length : 1
        end
        found << [characters[start..].join, false] if start < characters.size
        found
      end

      private

      # @return [String, nil] the longest word that begins at a place of the text
      def longest(characters, place)
        @lengths.fetch(characters[place], []).each do |length|
          word = characters[place, length].join
          return word if @words.key?(word)
        end
        nil
      end

      # Store the lengths of the words with this first character, the longest first.
      def measure(first)
        lengths = @words.keys.select { |word| word.start_with?(first) }.map(&:length)
        @lengths[first] = lengths.uniq.sort.reverse
        nil
      end
    end
  end
end
