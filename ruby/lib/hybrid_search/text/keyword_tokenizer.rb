# frozen_string_literal: true

module HybridSearch
  module Text
    # Cuts texts into the tokens from which keywords are chosen (TXT-7, TXT-8): jieba's words, the user's own words and,
    # unless that is turned off, identifiers.
    #
    # Several threads may cut at once. Words should be added before the first call.
    class KeywordTokenizer
      include Base::ShortInspect

      OPTIONS = %w[identifiers user_dictionary].freeze

      # The characters of which jieba forms runs before it looks for words.
      NEVER_CUT = /\A[\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+\z/
      LETTER_OR_NUMBER = /[#{%w[LETTER NUMBER].map { |name| Base::Characters.character_class(name).pattern }.join}]/
      private_constant :NEVER_CUT, :LETTER_OR_NUMBER

      # @param identifiers [Boolean] whether numbers and identifiers are tokens with parts (TXT-7); otherwise the tokens
      #   are jieba's
      # @param user_dictionary [String, Pathname, nil] a file of words for {load_user_dict}
      # @param unknown [Hash] refused, with the nearest known option in the message
      # @raise [ConfigurationError] the user dictionary cannot be read
      # @raise [InvalidInputError] an option is unknown or has the wrong type
      def initialize(identifiers: true, user_dictionary: nil, **unknown)
        Base::Validation.known("option", unknown.keys, OPTIONS)
        @identifiers = Base::Validation.boolean("identifiers", identifiers) ? Identifiers.new : nil
        @segmenter = Segmenter.new
        @whole_words = WholeWords.new
        @user_words = {}
        load_user_dict(user_dictionary) unless user_dictionary.nil?
      end

      # Cut a text. With identifiers, it is made half-width first, and tokens without a letter or number are omitted.
      #
      # @param text [String]
      # @return [Array<String>] the tokens of the text, in order
      # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
      def tokenize(text)
        text = Base::Validation.text("text", text)
        return tokens(text) unless @identifiers

        tokens(@identifiers.prepare(text)).select { |token| LETTER_OR_NUMBER.match?(token) || user_word?(token) }
      end

      # @param token [String]
      # @return [Array<String>] its parts (TXT-7), each once, never the token itself; without identifiers there are none
      # @raise [InvalidInputError] `token` is not a text, or not valid UTF-8 (UNI-2)
      def parts(token)
        token = Base::Validation.text("token", token)
        @identifiers ? @identifiers.parts(token) : []
      end

      # @param token [String]
      # @return [Boolean] whether it is a single capital letter or digit, which is not a keyword but a part (TXT-7)
      def lone?(token)
        !@identifiers.nil? && @identifiers.lone?(token)
      end

      # @param token [String]
      # @return [Boolean] whether the user added exactly this word
      def user_word?(token)
        @user_words.key?(token)
      end

      # Add a word that stays whole.
      #
      # A word that jieba would cut at a character, or that contains an identifier and other text, is searched in a text
      # before any other step. All other words are added to the dictionary of the segmenter.
      #
      # @param word [String] the word, not empty
      # @param frequency [Integer, nil] from 0 to {Dictionary::MAXIMUM_FREQUENCY}, for the segmenter; nil takes one that
      #   makes the word likely; 0 removes the word
      # @param tag [String, nil] its part of speech
      # @param unknown [Hash] refused
      # @return [void]
      # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
      def add_word(word, frequency: nil, tag: nil, **unknown)
        Base::Validation.known("option", unknown.keys, %w[frequency tag])
        word = Dictionary.user_word(word)
        Base::Validation.integer("frequency", frequency, 0, Dictionary::MAXIMUM_FREQUENCY) unless frequency.nil?
        Base::Validation.text("tag", tag) unless tag.nil?
        word = @identifiers.prepare(word) if @identifiers
        keep_whole(word, frequency, tag)
        frequency&.zero? ? @user_words.delete(word) : @user_words[word.dup.freeze] = true
        nil
      end

      # Add the words of a file in jieba's format: one word a line, with an optional frequency and tag.
      #
      # The file is UTF-8, with or without a byte order mark; empty lines are skipped. Nothing is added if a line is not
      # acceptable.
      #
      # @param path [String, Pathname]
      # @return [void]
      # @raise [ConfigurationError] the file cannot be read, is not UTF-8, or has a frequency out of range
      # @raise [InvalidInputError] `path` is not a text
      def load_user_dict(path)
        UserDictionary.read(path).each { |word, frequency, tag| add_word(word, frequency:, tag:) }
        nil
      end

      private

      def tokens(text)
        @whole_words.pieces(text).flat_map { |piece, word| word ? [piece] : piece_tokens(piece) }
      end

      def piece_tokens(piece)
        return @segmenter.cut(piece) unless @identifiers

        found = []
        @identifiers.pieces(piece).each { |part, token| token ? found << part : found.concat(@segmenter.cut(part)) }
        found
      end

      def keep_whole(word, frequency, tag)
        if !cut?(word)
          @segmenter.add_word(word, frequency:, tag:)
        elsif frequency&.zero?
          @whole_words.remove(word)
        else
          @whole_words.add(word)
        end
      end

      # Return whether the segmenter would never receive the word as a whole.
      def cut?(word)
        return true unless NEVER_CUT.match?(word)

        !@identifiers.nil? && @identifiers.pieces(word).size > 1
      end
    end
  end
end
