# frozen_string_literal: true

module HybridSearch
  # Finds the keywords of a text by TF-IDF (TXT-8), as `jieba.analyse.extract_tags` does, with identifiers and parts.
  #
  # Extracting may run in several threads at once; words should be added before.
  class KeywordExtractor
    include Base::ShortInspect

    # The keywords of a text (TXT-8).
    class Keywords
      include Base::Value

      # @return [Array<String>] by falling weight, of equal weights in the order of the text; no repeats
      attr_reader :words
      # @return [Array<Float>] the weight of each word, above 0
      attr_reader :weights
      # @return [Array<String>] what the words are made of, in their order, then the capital letters and digits that
      #   stood alone in the text; no repeats, and none that is among the words
      attr_reader :parts

      def initialize(words:, weights:, parts:)
        @words = words.dup.freeze
        @weights = weights.dup.freeze
        @parts = parts.dup.freeze
        freeze
      end

      # @return [Array<String>] the words, then the parts
      def terms
        @words + @parts
      end
    end

    OPTIONS = %w[identifiers stop_words user_dictionary].freeze
    white = Base::Characters.character_class("WHITE").pattern
    # Two characters or more, white space at both ends not counted.
    LONG = /[^#{white}][#{white}]*[^#{white}]/
    CAPITAL = /[A-Z]/
    private_constant :LONG, :CAPITAL

    # @param identifiers [Boolean] whether numbers and identifiers are words with parts (TXT-7). Without them, and with
    #   jieba's stop words, the words are those of `jieba.analyse.extract_tags`.
    # @param stop_words [Array<String>, nil] words that are not keywords, ASCII case ignored; nil takes
    #   {Text::StopWords.default_words}
    # @param user_dictionary [String, Pathname, nil] a file of words that stay whole, see {load_user_dict}
    # @param unknown [Hash] nothing; names given here are refused with the nearest option
    # @raise [ConfigurationError] the user dictionary cannot be read
    # @raise [InvalidInputError] an option is unknown or of another kind
    def initialize(identifiers: true, stop_words: nil, user_dictionary: nil, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @tokenizer = Text::KeywordTokenizer.new(identifiers:, user_dictionary:)
      @identifiers = identifiers
      given = stop_words.nil? ? Text::StopWords.default_words : Base::Validation.texts("stop_words", stop_words)
      @stop_words = given.to_h { |word| [lower(word), true] }.freeze
      freeze
    end

    # The keywords of a text. A word weighs count · (idf / number of all tokens that are kept).
    #
    # @param text [String]
    # @param limit [Integer, nil] how many words at most; nil and 0 give all
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
    #   that makes the word likely; 0 takes the word away
    # @param tag [String, nil] its part of speech
    # @param unknown [Hash] refused
    # @return [void]
    # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
    def add_word(word, frequency: nil, tag: nil, **unknown)
      @tokenizer.add_word(word, frequency:, tag:, **unknown)
    end

    # Add the words of a file in jieba's format: a line holds a word, and maybe a frequency and a tag.
    #
    # @param path [String, Pathname]
    # @return [void]
    # @raise [ConfigurationError] the file cannot be read, is not UTF-8, or has a frequency out of range
    # @raise [InvalidInputError] `path` is not a text
    def load_user_dict(path)
      @tokenizer.load_user_dict(path)
    end

    private

    # How often each kept word occurs, in the order of the text; with identifiers ASCII case is ignored.
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

    # Words and weights by falling weight, of equal weights in the order of the text.
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

    # The word with capital letters of ASCII made small.
    def lower(word)
      CAPITAL.match?(word) ? word.downcase(:ascii) : word
    end
  end
end
