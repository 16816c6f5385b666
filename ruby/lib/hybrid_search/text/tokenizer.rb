# frozen_string_literal: true

module HybridSearch
  # Turns text into tokens (TXT-4, TXT-5, TXT-6, TXT-9): the default tokenizer of the library.
  #
  # Any object with these five public methods may replace it (TXT-9). Two more methods are optional. `tokens?(text)`
  # returns whether {#tokenize} would find any token. `version` returns a value that is unchanged only while all results
  # are; results may be cached as long as it is. A subclass of Tokenizer that redefines its methods must also redefine
  # or undefine these two. Safe to share between threads.
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
    # Runs of letters, marks and digits, and the text between them.
    RUN_OR_GAP = /[#{alphabetic}#{digit}]+|[^#{alphabetic}#{digit}]+/
    RUN = /\A[#{alphabetic}#{digit}]+\z/
    # A letter or mark outside ASCII that the segmenter would break up.
    FOREIGN = /[[#{alphabetic}]&&[^\u0000-\u007F]]/
    private_constant :LETTER_OR_NUMBER, :RUN_OR_GAP, :RUN, :FOREIGN

    # @param segmenter [Segmenter, nil] cuts Chinese and English text into words; by default one with jieba's dictionary
    # @param stemming [Boolean] whether English words are reduced to their stems
    # @param unknown [Hash] refused, with the nearest known option in the message
    # @raise [InvalidInputError] an option is unknown or has the wrong type
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

    # @return [Boolean] whether words may be cut one by one: only by the library's own segmenter, when it does not use
    #   plain forms
    def cuts_words_alone?
      @segmenter.instance_of?(Segmenter) && @segmenter.kernels != Base::Kernels::PLAIN
    end

    # @return [Integer] a value that is unchanged only while the results of all methods are
    def version
      dictionary.version
    end

    # @return [Text::Dictionary] the words of the segmenter
    def dictionary
      @segmenter.dictionary
    end

    # @return [Hash{String=>Object}, nil] plain data from which {of_recipe} makes an equal tokenizer; nil if a part is
    #   not the library's own
    def recipe
      own = { self => Tokenizer, @segmenter => Segmenter, dictionary => Text::Dictionary }
      return nil unless own.all? { |part, type| part.instance_of?(type) }

      { "kernels" => @segmenter.kernels, "stemming" => @stemming, "words" => dictionary.added.dup }
    end

    # @param recipe [Hash{String=>Object}]
    # @return [Tokenizer] the tokenizer of a recipe
    def self.of_recipe(recipe)
      segmenter = Segmenter.new(kernels: recipe.fetch("kernels"))
      recipe.fetch("words").each { |word, frequency, tag| segmenter.dictionary.add(word, frequency, tag) }
      new(segmenter:, stemming: recipe.fetch("stemming"))
    end

    # @param text [String] any valid UTF-8
    # @return [Array<String>] the tokens of the text, in order (TXT-4)
    # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
    def tokenize(text)
      kept = pieces(@normalizer.normalize(text)).grep(LETTER_OR_NUMBER)
      @stemming ? kept.map { |token| stem(token) } : kept
    end

    # @param words [Array<String>] words of the letters a to z
    # @return [Array<String>] their tokens, provided that each of them is a word of the segmenter (TXT-4)
    def stems(words)
      @stemming ? words.map { |word| @stemmer.stem_english(word) } : words
    end

    # @param text [String] any valid UTF-8
    # @return [Boolean] whether {tokenize} finds a token, that is, whether the text has a letter or a number
    # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
    def tokens?(text)
      @normalizer.normalize(text).match?(LETTER_OR_NUMBER)
    end

    # @param token [String] a token that {tokenize} returned; a text with blanks is processed word by word
    # @return [Array<String>] its parts, or the token itself if it has no parts (TXT-5)
    # @raise [InvalidInputError] `token` is not a text, or not valid UTF-8 (UNI-2)
    def fine_grained(token)
      words(Base::Validation.text("token", token)).flat_map { |word| parts(word) }
    end

    # @param term [String]
    # @return [Integer] the number of times the term occurs in the dictionary's corpus, 0 if it is not a word (TXT-6)
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

    # Yield runs of letters that the segmenter would break up, and the segmenter's words of the text between.
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

    # Return whether the word is a run of TXT-4: all letters, marks and digits, with one outside ASCII.
    def foreign_run?(word)
      !word.ascii_only? && word.match?(RUN) && word.match?(FOREIGN)
    end
  end
end
