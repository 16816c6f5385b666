# frozen_string_literal: true

module HybridSearch
  # Weighs terms by dictionary frequency, document frequency, named entity and part of speech (TW-1 … TW-9).
  class TermWeight
    include Base::ShortInspect

    # `round-half-even(300 / 2^(k/2))`, at least 10, for k = 0 …: the frequency of a word of 3 + k letters (TW-2).
    LETTER_FREQUENCIES = [300.0, 212.0, 150.0, 106.0, 75.0, 53.0, 38.0, 27.0, 19.0, 13.0, 10.0].freeze
    FREQUENCY_TOTAL = 1e7
    DOCUMENT_FREQUENCY_TOTAL = 1e9
    ENTITY_WEIGHTS = {
      "toxic" => 2.0, "func" => 1.0, "corp" => 3.0, "loca" => 3.0, "sch" => 3.0, "stock" => 3.0, "firstnm" => 1.0
    }.freeze
    TAG_WEIGHTS = { "r" => 0.3, "c" => 0.3, "d" => 0.3, "ns" => 3.0, "nt" => 3.0, "n" => 2.0 }.freeze

    NUMERIC = /\A[0-9. -]{2,}\z/
    NUMBER_ENTITY = /\A[0-9,.]{2,}\z/
    SHORT_LETTERS = /\A[a-z]{1,2}\z/
    TAG_OF_NUMBER = /\A[0-9-]/
    ONE_DIGIT = /\A[0-9]\z/
    SINGLE = /\A[0-9a-z]{1,2}\z/
    STARTS_ALPHANUMERIC = /\A[0-9A-Za-z]/
    ENDS_WITH_LETTER = /[A-Za-z]\z/
    LETTERS = %w[LATIN GREEK CYRILLIC].map { |name| Base::Characters.character_class(name).pattern }.join
    ALPHABETIC = /\A[#{LETTERS} .-]+\z/
    NO_LETTERS = " .\\-"

    MOST_JOINED = 4
    # The lowest frequency of a word of the dictionary (TW-2).
    LEAST_FREQUENCY = 10
    JOINED_OF_A_LONGER_RUN = 2

    private_constant :NUMERIC, :NUMBER_ENTITY, :SHORT_LETTERS, :TAG_OF_NUMBER, :ONE_DIGIT, :SINGLE,
                     :STARTS_ALPHANUMERIC, :ENDS_WITH_LETTER, :LETTERS, :ALPHABETIC, :NO_LETTERS,
                     :MOST_JOINED, :LEAST_FREQUENCY, :JOINED_OF_A_LONGER_RUN, :FREQUENCY_TOTAL,
                     :DOCUMENT_FREQUENCY_TOTAL

    # @return [Tokenizer] returns tokens, fine-grained parts, frequencies and tags
    attr_reader :tokenizer

    # @param tokenizer [#tokenize, #call, nil] default: a {Tokenizer}
    # @param document_frequencies [Hash{String=>Integer}, String, nil] a table term => count, or the path of a file of
    #   lines `term<tab>count` (TW-3)
    # @param entities [Hash{String=>String}, String, nil] a table term => class, or the path of a JSON file with such an
    #   object (TW-4)
    # @raise [ConfigurationError] a table is malformed, or its file is missing or unreadable
    # @raise [InvalidInputError] an unknown option
    def initialize(tokenizer: nil, document_frequencies: nil, entities: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[tokenizer document_frequencies entities])
      @tokenizer = tokenizer.nil? ? Tokenizer.new : Text::FunctionTokenizer.accept("tokenizer", tokenizer)
      @document_frequencies =
        document_frequencies.nil? ? {} : QueryBuilders::TermFiles.counts("document_frequencies", document_frequencies)
      @entities = entities.nil? ? {} : entity_classes(entities)
      @most_entity_words = 1 + (@entities.each_key.map { |term| term.count(" ") }.max || 0)
      @stop_words = QueryBuilders::Words.word_list("stop_words").to_h { |word| [word, true] }
      @leading_punctuation = QueryBuilders::Words.character_set("leading_punctuation").to_h do |character|
        [character, true]
      end
      freeze
    end

    # Return terms with weights that sum to 1 (TW-1).
    #
    # @param tokens [Array<String>] tokens; with `preprocess`, texts that are first pre-tokenised and merged (TW-9)
    # @param preprocess [Boolean] whether to pre-tokenise and merge
    # @return [Array<Array(String, Float)>] terms and weights above 0 in the order of the tokens; empty if no term has
    #   weight
    # @raise [InvalidInputError] an argument has another type, or an option is unknown
    def weights(tokens, preprocess: true, **unknown)
      Base::Validation.known("option", unknown.keys, %w[preprocess])
      given = Base::Validation.texts("tokens", tokens)
      terms = given
      if Base::Validation.boolean("preprocess", preprocess)
        terms = given.flat_map { |text| merge(pretokenize(text, numbers: true)) }
      end
      raw = raw_weights(terms)
      total = Base::Numeric.sum_left(raw)
      return [] if total.zero?

      terms.each_with_index.map { |term, index| [term, raw[index] / total] }
    end

    # Return the tokens of a text without stop words and punctuation (TW-6).
    #
    # @param text [String]
    # @param numbers [Boolean] whether to include tokens that are one digit
    # @return [Array<String>]
    def pretokenize(text, numbers: false, **unknown)
      Base::Validation.known("option", unknown.keys, %w[numbers])
      keep_digits = Base::Validation.boolean("numbers", numbers)
      @tokenizer.tokenize(Base::Validation.text("text", text)).reject do |token|
        token.empty? || @stop_words.key?(token) || @leading_punctuation.key?(token[0]) ||
          (!keep_digits && token.match?(ONE_DIGIT))
      end
    end

    # Join neighbouring single characters into terms, with a blank between them (TW-7).
    #
    # @param tokens [Array<String>]
    # @return [Array<String>]
    def merge(tokens)
      given = Base::Validation.texts("tokens", tokens)
      merged = []
      index = 0
      if given.size > 1 && single?(given[0]) && long_word?(given[1])
        merged << "#{given[0]} #{given[1]}"
        index = 2
      end
      while index < given.size
        finish = end_of_run(given, index)
        term = given[index...finish].join(" ")
        merged << term unless term.empty?
        index = finish
      end
      merged
    end

    # Return the pieces of a text between WHITE; neighbouring Latin words stay together (TW-8).
    #
    # @param text [String]
    # @return [Array<String>]
    def split(text)
      pieces = []
      Base::Characters.split_white(Base::Validation.text("text", text)).each do |word|
        if !pieces.empty? && joins?(pieces.last, word)
          pieces.last << word
        else
          pieces << [word]
        end
      end
      pieces.map { |words| words.join(" ") }
    end

    # @param term [String]
    # @return [Float] how common a term is in the language, at least 3 (TW-2)
    def frequency(term)
      frequencies(term)[0]
    end

    # @param term [String]
    # @return [Float] the estimated number of documents that contain a term, at least 3 (TW-3)
    def document_frequency(term)
      frequencies(term)[1]
    end

    # @param term [String]
    # @return [Float] the factor of a term's entity class (TW-4)
    def entity_weight(term)
      return 2.0 if term.match?(NUMBER_ENTITY)
      return 0.01 if term.match?(SHORT_LETTERS)

      ENTITY_WEIGHTS.fetch(@entities.fetch(term, ""), 1.0)
    end

    # @param term [String]
    # @return [Float] the factor of a term's part of speech (TW-5)
    def tag_weight(term)
      tag = @tokenizer.tag(term)
      TAG_WEIGHTS.fetch(tag) { tag.match?(TAG_OF_NUMBER) ? 2.0 : 1.0 }
    end

    private

    def raw_weights(terms)
      terms.map { |term| raw_weight(term) }
    end

    def raw_weight(term)
      count, document_count = frequencies(term)
      frequency = idf(count, FREQUENCY_TOTAL)
      document_frequency = idf(document_count, DOCUMENT_FREQUENCY_TOTAL)
      ((0.3 * frequency) + (0.7 * document_frequency)) * (entity_weight(term) * tag_weight(term))
    end

    # Return the frequency and the document frequency of a term, for which some steps are the same (TW-2, TW-3).
    def frequencies(term)
      return [3.0, 5.0] if term.match?(NUMERIC)

      known = @tokenizer.frequency(term)
      count = @document_frequencies[term]
      frequency, document_frequency = guesses(term) unless !known.zero? && count
      frequency = [known, LEAST_FREQUENCY].max.to_f unless known.zero?
      document_frequency = (count + 3).to_f if count
      [frequency, document_frequency]
    end

    # Return estimated frequencies of a term that is not in the tables.
    def guesses(term)
      letters = letter_frequency(term)
      return [letters, letters] if letters

      parts = long_parts(term)
      return [10.0, 3.0] if parts.size < 2

      frequencies, document_frequencies = parts.map { |part| frequencies(part) }.transpose
      [[10.0, frequencies.min / 6.0].max, [3.0, document_frequencies.min / 6.0].max]
    end

    def letter_frequency(term)
      return nil unless term.match?(ALPHABETIC)

      letters = term.delete(NO_LETTERS).length
      return nil if letters.zero?

      LETTER_FREQUENCIES[[[0, letters - 3].max, LETTER_FREQUENCIES.size - 1].min]
    end

    def long_parts(term)
      return [] if term.length < 4

      @tokenizer.fine_grained(term).select { |part| part.length > 1 }
    end

    # Return whether a word belongs to the piece of the words before it.
    def joins?(before, word)
      before.last.match?(ENDS_WITH_LETTER) && word.match?(ENDS_WITH_LETTER) && @entities[word] != "func" &&
        !(before.size <= @most_entity_words && @entities[before.join(" ")] == "func")
    end

    # Return the end of the run of single characters at `index`, at most its longest allowed end; the next index if
    # there is no run.
    def end_of_run(tokens, index)
      finish = index
      last = [tokens.size, index + MOST_JOINED + 1].min # one more tells that the run is longer
      finish += 1 while finish < last && single?(tokens[finish]) && !@stop_words.key?(tokens[finish])
      return index + JOINED_OF_A_LONGER_RUN if finish - index > MOST_JOINED

      finish - index < JOINED_OF_A_LONGER_RUN ? index + 1 : finish
    end

    def idf(count, total)
      Base::Numeric.log10(10.0 + ((total - count + 0.5) / (count + 0.5)))
    end

    def single?(token)
      token.length == 1 || token.match?(SINGLE)
    end

    def long_word?(token)
      token.length > 1 && !token.match?(STARTS_ALPHANUMERIC)
    end

    def entity_classes(source)
      name, table = QueryBuilders::TermFiles.json_object("entities", source)
      table.to_h { |term, entity| [term, Base::Validation.text("#{name}[#{Base::Validation.describe(term)}]", entity)] }
    rescue InvalidInputError => e
      raise ConfigurationError, e.message
    end
  end
end
