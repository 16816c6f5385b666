# frozen_string_literal: true

module HybridSearch
  module Text
    # The tokens that keywords are taken from (TXT-7, TXT-8): jieba's words, the user's own, and, unless that is turned
    # off, identifiers.
    #
    # Cutting may run in several threads at once; words should be added before.
    class KeywordTokenizer
      include Base::ShortInspect

      OPTIONS = %w[identifiers user_dictionary].freeze

      # The characters that jieba takes together before it looks for words.
      NEVER_CUT = /\A[\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+\z/
      LETTER_OR_NUMBER = /[#{%w[LETTER NUMBER].map { |name| Base::Characters.character_class(name).pattern }.join}]/
      private_constant :NEVER_CUT, :LETTER_OR_NUMBER

      # @param identifiers [Boolean] whether numbers and identifiers are tokens with parts (TXT-7); otherwise the tokens
      #   are jieba's
      # @param user_dictionary [String, Pathname, nil] a file of words for {load_user_dict}
      # @param unknown [Hash] nothing; names given here are refused with the nearest option
      # @raise [ConfigurationError] the user dictionary cannot be read
      # @raise [InvalidInputError] an option is unknown or of another kind
      def initialize(identifiers: true, user_dictionary: nil, **unknown)
        Base::Validation.known("option", unknown.keys, OPTIONS)
        @identifiers = Base::Validation.boolean("identifiers", identifiers) ? Identifiers.new : nil
        @segmenter = Segmenter.new
        @whole_words = WholeWords.new
        @user_words = {}
        load_user_dict(user_dictionary) unless user_dictionary.nil?
      end

      # With identifiers the text is made half-width first, and tokens without a letter or number are left out.
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
      # @return [Array<String>] what it is made of (TXT-7), each part once, never the token itself; without identifiers
      #   nothing
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
      # @return [Boolean] whether the user added this very word
      def user_word?(token)
        @user_words.key?(token)
      end

      # Add a word that is to stay whole.
      #
      # A word with a character that jieba would cut at, or that holds an identifier and more, is found before anything
      # else is done with a text; the others are words of the segmenter's dictionary.
      #
      # @param word [String] the word, not empty
      # @param frequency [Integer, nil] from 0 to {Dictionary::MAXIMUM_FREQUENCY}, for the segmenter; nil takes one that
      #   makes the word likely; 0 takes the word away
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

      # Add the words of a file in jieba's format: a line holds a word, and maybe a frequency and a tag.
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

      # Whether a word would never reach the segmenter as a whole.
      def cut?(word)
        return true unless NEVER_CUT.match?(word)

        !@identifiers.nil? && @identifiers.pieces(word).size > 1
      end
    end
  end
end
