# frozen_string_literal: true

module HybridSearch
  # Text to tokens (TXT-4, TXT-5, TXT-6, TXT-9): the tokenizer that the library uses unless it is given another.
  #
  # Another one is any object with these five public methods (TXT-9). One that also has `tokens?(text)` is asked by that
  # whether {#tokenize} would find any; of one that has a `version`, what it gave is believed for as long as that stays
  # the same. Who redefines the methods of Tokenizer redefines or undefines these too. Safe to share between threads.
  class Tokenizer
    include Base::ShortInspect

    OPTIONS = %w[segmenter stemming].freeze

    ENGLISH_WORD = /\A[a-z]+\z/
    NOT_DIVIDED = /\A[0-9a-z.+#_*-]+\z/
    SHORTEST_DIVIDED = 3
    private_constant :ENGLISH_WORD, :NOT_DIVIDED, :SHORTEST_DIVIDED

    letter, number, alphabetic, digit = %w[LETTER NUMBER ALPHABETIC DIGIT].map do |name|
      Base::Characters.character_class(name).pattern
    end
    LETTER_OR_NUMBER = /[#{letter}#{number}]/
    # Runs of letters, marks and digits, and what lies between them.
    RUN_OR_GAP = /[#{alphabetic}#{digit}]+|[^#{alphabetic}#{digit}]+/
    RUN = /\A[#{alphabetic}#{digit}]+\z/
    # A letter or mark outside ASCII that the segmenter would break up.
    FOREIGN = /[[#{alphabetic}]&&[^\u0000-\u007F]]/
    private_constant :LETTER_OR_NUMBER, :RUN_OR_GAP, :RUN, :FOREIGN

    # @param segmenter [Segmenter, nil] what cuts Chinese and English text into words; by default one with jieba's
    #   dictionary
    # @param stemming [Boolean] whether English words are reduced to their stems
    # @param unknown [Hash] nothing; names given here are refused with the nearest option
    # @raise [InvalidInputError] an option is unknown or of another kind
    def initialize(segmenter: nil, stemming: true, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      unless segmenter.nil? || segmenter.is_a?(Segmenter)
        raise Base::Validation.failure("segmenter", segmenter, "a Segmenter")
      end

      @stemming = Base::Validation.boolean("stemming", stemming)
      @segmenter = segmenter.nil? ? Segmenter.new : segmenter
      @normalizer = Text::Normalizer.new
      @stemmer = Text::Stemmer.new
      freeze
    end

    # @return [Boolean] whether words may be cut one by one: by the library's own segmenter, which was not asked for
    #   plain forms
    def cuts_words_alone?
      @segmenter.instance_of?(Segmenter) && @segmenter.kernels == Base::Kernels::FAST
    end

    # @return [Integer] as long as it stays the same, so does what every method gives for an argument
    def version
      @segmenter.dictionary.version
    end

    # @param text [String] any valid UTF-8
    # @return [Array<String>] the tokens of the text, in order (TXT-4)
    # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
    def tokenize(text)
      kept = pieces(@normalizer.normalize(text)).grep(LETTER_OR_NUMBER)
      @stemming ? kept.map { |token| stem(token) } : kept
    end

    # @param text [String] any valid UTF-8
    # @return [Boolean] whether {tokenize} finds a token: whether there is a letter or a number
    # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
    def tokens?(text)
      @normalizer.normalize(text).match?(LETTER_OR_NUMBER)
    end

    # @param token [String] a token as {tokenize} gives it; a text with blanks is taken word by word
    # @return [Array<String>] its parts, or the token itself when it has none (TXT-5)
    # @raise [InvalidInputError] `token` is not a text, or not valid UTF-8 (UNI-2)
    def fine_grained(token)
      words(Base::Validation.text("token", token)).flat_map { |word| parts(word) }
    end

    # @param term [String]
    # @return [Integer] how often the dictionary has seen the term, 0 if it does not know it (TXT-6)
    def frequency(term)
      @segmenter.frequency(Base::Validation.text("term", term))
    end

    # @param term [String]
    # @return [String] the term's part of speech in the dictionary, "" if it has none (TXT-6)
    def tag(term)
      @segmenter.tag(Base::Validation.text("term", term))
    end

    # @param text [String]
    # @return [String] the text as {tokenize} reads it (TXT-1)
    def normalize(text)
      @normalizer.normalize(text)
    end

    private

    # Runs of letters that the segmenter would break up, and what the segmenter makes of the text between.
    def pieces(text)
      return @segmenter.cut(text) if text.ascii_only? || !text.match?(FOREIGN)

      gap = +""
      found = []
      text.scan(RUN_OR_GAP) do |piece|
        next gap << piece unless piece.match?(FOREIGN)

        found.concat(@segmenter.cut(gap)) << piece
        gap = +""
      end
      found.concat(@segmenter.cut(gap))
    end

    def stem(token)
      token.match?(ENGLISH_WORD) ? @stemmer.stem_english(token) : token
    end

    def words(text)
      text.include?(" ") ? text.split(/ /).reject(&:empty?) : [text].reject(&:empty?)
    end

    def parts(word)
      return slash_parts(word) if word.include?("/")
      return [word] if word.length < SHORTEST_DIVIDED || word.match?(NOT_DIVIDED) || foreign_run?(word)

      route = @segmenter.best_route_without_whole(word)
      route.all? { |piece| piece.length == 1 } ? [word] : @segmenter.rejoin_latin(route)
    end

    def slash_parts(word)
      found = word.split("/").reject(&:empty?)
      found.empty? ? [word] : found
    end

    # Whether the word is one of the runs of TXT-4: all letters, marks and digits, with one outside ASCII.
    def foreign_run?(word)
      !word.ascii_only? && word.match?(RUN) && word.match?(FOREIGN)
    end
  end
end
