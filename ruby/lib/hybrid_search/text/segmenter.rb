# frozen_string_literal: true

module HybridSearch
  # Cuts Chinese text into words (TXT-2), as jieba does: its dictionary, its most probable route, and its hidden Markov
  # model for what the dictionary does not know.
  #
  # Cutting may run in several threads at once; words should be added before.
  class Segmenter
    # jieba's `re_han_default`: what is cut by the dictionary. All else is cut into characters, `\r\n` staying whole.
    BLOCK = /([\u4E00-\u9FD5a-zA-Z0-9+#&._%-]+)/
    REST = /\r\n|./m
    SINGLE_LATIN = /\A[0-9A-Za-z]\z/
    # What the model leaves as it is.
    LATIN = /\A[0-9A-Za-z]+\z/
    private_constant :BLOCK, :REST, :SINGLE_LATIN, :LATIN

    # @return [Dictionary] the frequencies and parts of speech, user words among them
    attr_reader :dictionary

    # @param dictionary [Dictionary, nil] by default one of its own
    # @raise [InvalidInputError] `dictionary` is something else
    def initialize(dictionary = nil)
      unless dictionary.nil? || dictionary.is_a?(Dictionary)
        raise Validation.failure("dictionary", dictionary, "a Dictionary")
      end

      @dictionary = dictionary || Dictionary.new
      @finder = RouteFinder.new(@dictionary)
      @model = HiddenMarkovModel.new(@dictionary.force_split)
      freeze
    end

    # @param text [String] any text
    # @param hmm [Boolean] whether unknown words are guessed by the hidden Markov model
    # @param unknown [Hash] refused
    # @return [Array<String>] the words in their order; joined they are the text again
    # @raise [InvalidInputError] the text is no valid text, or an option is unknown
    def cut(text, hmm: true, **unknown)
      Validation.known("option", unknown.keys, %w[hmm]) unless unknown.empty?
      text = Validation.text("text", text)
      words = []
      if Validation.boolean("hmm", hmm)
        each_block(text, words) { |block| cut_with_model(block, words) }
      else
        each_block(text, words) { |block| cut_without_model(block, words) }
      end
      words
    end

    # @param (see #cut)
    # @return [Array<String>] the words, each after the dictionary words of two and three characters inside it
    # @raise (see #cut)
    def cut_for_search(text, hmm: true, **unknown)
      Validation.known("option", unknown.keys, %w[hmm]) unless unknown.empty?
      words = []
      cut(text, hmm:).each do |word|
        length = word.length
        if length > 2
          points = word.codepoints
          add_grams(word, points, 2, words)
          add_grams(word, points, 3, words) if length > 3
        end
        words << word
      end
      words
    end

    # Add a word to this segmenter's dictionary.
    #
    # @param word [String] the word, not empty
    # @param frequency [Integer, nil] from 0 to {Dictionary::MAXIMUM_FREQUENCY}; nil takes the one {suggest_frequency}
    #   gives; 0 makes the segmenter cut the word up
    # @param tag [String, nil] its part of speech
    # @param unknown [Hash] refused
    # @return [void]
    # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
    def add_word(word, frequency: nil, tag: nil, **unknown)
      Validation.known("option", unknown.keys, %w[frequency tag])
      @dictionary.add(word, frequency.nil? ? suggest_frequency(word) : frequency, tag)
    end

    # @param word [String] the word, not empty
    # @return [Integer] the frequency that makes a word more probable than the words it is cut into without the model
    # @raise [InvalidInputError] the word is not acceptable
    def suggest_frequency(word)
      word = Dictionary.user_word(word)
      total = @dictionary.total
      product = cut(word, hmm: false).reduce(1.0) do |sofar, piece|
        sofar * ((@dictionary.entry(piece.codepoints) || 1) / total.to_f)
      end
      [(product * total).to_i + 1, @dictionary.entry(word.codepoints) || 1].max
                                                                           .clamp(1, Dictionary::MAXIMUM_FREQUENCY)
    end

    # @param term [String]
    # @return [Integer] how often the term occurs in the dictionary's corpus; 0 if it is no word (TXT-6)
    def frequency(term)
      @dictionary.frequency(term)
    end

    # @param term [String]
    # @return [String] its part of speech; "" if the dictionary has none (TXT-6)
    def tag(term)
      @dictionary.tag(term)
    end

    # Add the words of a file in jieba's format: a line holds a word, and maybe a frequency and a tag.
    #
    # The file is UTF-8, with or without a byte order mark; empty lines are skipped. Nothing is added if a line is not
    # acceptable.
    #
    # @param path [String, Pathname]
    # @return [void]
    # @raise [ConfigurationError] the file cannot be read, is not UTF-8, or has a frequency out of range
    # @raise [InvalidInputError] `path` is no text
    def load_user_dict(path)
      UserDictionary.read(path).each { |word, frequency, tag| add_word(word, frequency:, tag:) }
      nil
    end

    # The most probable way to cut a token up, the token as a whole left out (TXT-5), without the model.
    # A token of one character gives itself. Single letters and digits stay apart: see {rejoin_latin}.
    #
    # @param token [String]
    # @return [Array<String>]
    # @raise [InvalidInputError] the token is no valid text
    def best_route_without_whole(token)
      token = Validation.text("token", token)
      points = token.codepoints
      ends = @finder.ends(points, whole: false)
      pieces = []
      start = 0
      while start < points.size
        stop = ends[start]
        pieces << points[start...stop].pack("U*")
        start = stop
      end
      pieces
    end

    # @param pieces [Array<String>]
    # @return [Array<String>] the pieces with runs of single `[0-9A-Za-z]` joined again, as jieba does without the model
    def rejoin_latin(pieces)
      pieces.chunk_while { |left, right| left.match?(SINGLE_LATIN) && right.match?(SINGLE_LATIN) }.map(&:join)
    end

    private

    def each_block(text, words)
      pieces = text.split(BLOCK)
      size = pieces.size
      index = 0
      while index < size
        rest = pieces[index]
        if rest.length == 1
          words << rest
        elsif !rest.empty?
          words.concat(rest.include?("\r\n") ? rest.scan(REST) : rest.chars)
        end
        yield pieces[index + 1] if index + 1 < size
        index += 2
      end
    end

    def cut_with_model(block, words)
      points = block.codepoints
      ends = @finder.ends(points)
      size = points.size
      width = block.bytesize == size ? 1 : 3
      return cut_mixed(block, points, ends, words) unless block.bytesize == size * width

      single = -1
      start = 0
      while start < size
        stop = ends[start]
        if stop == start + 1
          single = start if single.negative?
        else
          if single == start - 1
            words << block.byteslice(single * width, width) unless start.zero?
          elsif !single.negative?
            cut_singles(block, points, width, single, start, words)
          end
          single = -1
          words << block.byteslice(start * width, (stop - start) * width)
        end
        start = stop
      end
      cut_singles(block, points, width, single, size, words) unless single.negative?
    end

    # A run that the route left in single characters: the model's words, unless the dictionary has the run as a word.
    def cut_singles(block, points, width, from, to, words)
      if to - from == 1
        words << block.byteslice(from * width, width)
      elsif width == 3 && @dictionary.force_split.empty? && !@dictionary.entry(points, from, to)&.positive?
        cut_run(block, points, from, to, words)
      else
        add_singles(block.byteslice(from * width, (to - from) * width), points, from, to, words)
      end
    end

    # A run of Han characters that the dictionary does not have.
    def cut_run(block, points, from, to, words)
      if to - from > 2
        @model.word_ends(points, from, to).each do |stop|
          words << block.byteslice(from * 3, (stop - from) * 3)
          from = stop
        end
      elsif @model.pair?(points[from], points[from + 1])
        words << block.byteslice(from * 3, 6)
      else
        words << block.byteslice(from * 3, 3) << block.byteslice((from * 3) + 3, 3)
      end
    end

    # Like {cut_with_model} for a block of Han characters, of three bytes, and ASCII.
    def cut_mixed(block, points, ends, words)
      size = points.size
      offset = 0
      single = -1
      single_offset = 0
      start = 0
      while start < size
        from = start
        stop = ends[start]
        bytes = 0
        while start < stop
          bytes += points[start] < 0x80 ? 1 : 3
          start += 1
        end
        if stop - from == 1
          if single.negative?
            single = from
            single_offset = offset
          end
        else
          unless single.negative?
            add_singles(block.byteslice(single_offset, offset - single_offset), points, single, from, words)
            single = -1
          end
          words << block.byteslice(offset, bytes)
        end
        offset += bytes
      end
      return if single.negative?

      add_singles(block.byteslice(single_offset, offset - single_offset), points, single, size, words)
    end

    def add_singles(run, points, from, to, words)
      if to - from > 1 && @dictionary.entry(points, from, to)&.positive?
        words.concat(run.chars)
      elsif to - from == 1 || LATIN.match?(run)
        words << run
      else
        words.concat(@model.cut(run))
      end
    end

    def cut_without_model(block, words)
      points = block.codepoints
      ends = @finder.ends(points)
      size = points.size
      offset = 0
      start = 0
      while start < size
        stop = ends[start]
        if stop - start == 1 && latin?(points[start])
          stop += 1 while stop < size && ends[stop] == stop + 1 && latin?(points[stop])
        end
        bytes = 0
        while start < stop
          bytes += points[start] < 0x80 ? 1 : 3
          start += 1
        end
        words << block.byteslice(offset, bytes)
        offset += bytes
      end
    end

    def latin?(point)
      point.between?(0x30, 0x39) || point.between?(0x41, 0x5A) || point.between?(0x61, 0x7A)
    end

    def add_grams(word, points, length, words)
      (0..(points.size - length)).each do |start|
        frequency = @dictionary.entry(points, start, start + length)
        words << word[start, length] if frequency&.positive?
      end
    end
  end
end
