# frozen_string_literal: true

module HybridSearch
  # Extracts keywords by TF-IDF (TXT-8), as `jieba.analyse.extract_tags` does, with identifiers and their parts.
  #
  # Several threads may extract at once. Words should be added before the first call.
  class KeywordExtractor
    include Base::ShortInspect

    # The keywords of a text (TXT-8).
    class Keywords
      include Base::Value

      # @return [Array<String>] by falling weight, equal weights in the order of the text; no repeats
      attr_reader :words
      # @return [Array<Float>] the weight of each word, above 0
      attr_reader :weights
      # @return [Array<String>] the parts of the words, in the order of the words, then the capital letters and digits
      #   that were single tokens in the text; no repeats, and no word of {words}
      attr_reader :parts

      def initialize(words:, weights:, parts:)
        @words = words.dup.freeze
        @weights = weights.dup.freeze
        @parts = parts.dup.freeze
        freeze
      end

      # @return [Array<String>] the words, followed by the parts
      def terms
        @words + @parts
      end
    end

    OPTIONS = %w[identifiers stop_words user_dictionary].freeze
    white = Base::Characters.character_class("WHITE").pattern
    # Two characters or more, not counting white space at both ends.
    LONG = /[^#{white}][#{white}]*[^#{white}]/
    CAPITAL = /[A-Z]/
    private_constant :LONG, :CAPITAL

    # @param identifiers [Boolean] whether numbers and identifiers are words with parts (TXT-7). Without them, and with
    #   jieba's stop words, the words are those of `jieba.analyse.extract_tags`.
    # @param stop_words [Array<String>, nil] words that are not keywords, ASCII case ignored; nil takes
    #   {Text::StopWords.default_words}
    # @param user_dictionary [String, Pathname, nil] a file of words that stay whole, see {load_user_dict}
    # @param unknown [Hash] refused, with the nearest known option in the message
    # @raise [ConfigurationError] the user dictionary cannot be read
    # @raise [InvalidInputError] an option is unknown or has the wrong type
    def initialize(identifiers: true, stop_words: nil, user_dictionary: nil, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @tokenizer = Text::KeywordTokenizer.new(identifiers:, user_dictionary:)
      @identifiers = identifiers
      given = stop_words.nil? ? Text::StopWords.default_words : Base::Validation.texts("stop_words", stop_words)
      @stop_words = given.to_h { |word| [lower(word), true] }.freeze
      freeze
    end

    # Return the keywords of a text. The weight of a word is count · (idf / number of all tokens that count as words).
    #
    # @param text [String]
    # @param limit [Integer, nil] maximum number of words; nil and 0 return all
    # @param unknown [Hash] refused
    # @return [Keywords]
    # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
    def extract(text, limit: 10, **unknown)
      Base::Validation.known("option", unknown.keys, %w[limit])
      limit = limit.nil? ? 0 : Base::Validation.integer("limit", limit, 0)
      tokens = @tokenizer.tokenize(text).tally
      weighed = weigh(counts(tokens))
      weighed = weighed.first(limit) if limit.positive? && limit < weighed.size
      words = weighed.map(&:first)
      Keywords.new(words:, weights: weighed.map(&:last), parts: parts(words, tokens))
    end

    # Add a word that stays whole, and is a keyword even if it is short or a stop word.
    #
    # @param word [String] the word, not empty
    # @param frequency [Integer, nil] from 0 to {Text::Dictionary::MAXIMUM_FREQUENCY}, for the segmenter; nil takes one
    #   that makes the word likely; 0 removes the word
    # @param tag [String, nil] its part of speech
    # @param unknown [Hash] refused
    # @return [void]
    # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
    def add_word(word, frequency: nil, tag: nil, **unknown)
      @tokenizer.add_word(word, frequency:, tag:, **unknown)
    end

    # Add the words of a file in jieba's format: one word a line, with an optional frequency and tag.
    #
    # @param path [String, Pathname]
    # @return [void]
    # @raise [ConfigurationError] the file cannot be read, is not UTF-8, or has a frequency out of range
    # @raise [InvalidInputError] `path` is not a text
    def load_user_dict(path)
      @tokenizer.load_user_dict(path)
    end

    private

    # Return the count of each word that may be a keyword, in text order; identifiers make it ignore ASCII case.
    def counts(tokens)
      long = tokens.select { |token, _| long?(token) || user_word?(token) }
      kept = long.reject { |token, _| stop_word?(token) }
      return kept unless @identifiers

      spellings = {}
      merged = Hash.new(0)
      (kept.empty? ? long : kept).each do |token, count|
        merged[spellings[lower(token)] ||= token] += count
      end
      merged
    end

    # Return words and weights by falling weight, equal weights in the order of the text.
    def weigh(counts)
      table = Text::IdfTable.shared
      total = counts.each_value.sum.to_f # whole numbers
      weighed = counts.map { |word, count| [word, count * (table.idf(word) / total)] }
      weighed.each_with_index.sort_by { |(_, weight), place| [-weight, place] }.map(&:first)
    end

    def parts(words, tokens)
      return [] unless @identifiers

      found = words.flat_map { |word| @tokenizer.parts(word) }
      tokens.each_key { |token| found << token if @tokenizer.lone?(token) }
      (found.uniq - words).reject { |part| stop_word?(part) }
    end

    def user_word?(token)
      @tokenizer.user_word?(token)
    end

    def stop_word?(token)
      @stop_words.key?(lower(token)) && !user_word?(token)
    end

    def long?(token)
      LONG.match?(token)
    end

    # Return the word with the capital letters of ASCII in lower case.
    def lower(word)
      CAPITAL.match?(word) ? word.downcase(:ascii) : word
    end
  end
end
