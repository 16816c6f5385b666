# frozen_string_literal: true

module HybridSearch
  # Segments Chinese text into words as jieba does (TXT-2): with its dictionary, its most probable route, and its hidden
  # Markov model for words that the dictionary does not contain.
  #
  # Several threads may cut at once. Words should be added before the first call.
  class Segmenter
    include Base::ShortInspect

    SINGLE_LATIN = /\A[0-9A-Za-z]\z/
    # Text that the model leaves unchanged.
    LATIN = /\A[0-9A-Za-z]+\z/
    LINE_FEED = 0x0A
    CARRIAGE_RETURN = 0x0D
    # Maximum length, in characters, of a text for which the table of even byte offsets is used: texts whose characters
    # all have one byte, or all have three.
    EVEN_LENGTH = 2048
    EVEN_OFFSETS = [1, 3].to_h { |width| [width, Array.new(EVEN_LENGTH + 1) { |index| index * width }.freeze] }.freeze
    private_constant :SINGLE_LATIN, :LATIN, :LINE_FEED, :CARRIAGE_RETURN, :EVEN_LENGTH, :EVEN_OFFSETS

    # @return [Text::Dictionary] the frequencies and parts of speech, including the user's words
    attr_reader :dictionary
    # @return [String] "plain" or "fast", as chosen
    attr_reader :kernels

    # @param dictionary [Text::Dictionary, nil] the words; default: a new dictionary
    # @param kernels [String, nil] see {Base::Kernels.choice}; here both find words in the same way
    # @raise [InvalidInputError] `dictionary` is not a Dictionary, or no kernels have this name
    # @raise [ConfigurationError] the environment variable contains an unknown name
    def initialize(dictionary = nil, kernels: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[kernels])
      @kernels = Base::Kernels.choice(kernels)
      unless dictionary.nil? || dictionary.is_a?(Text::Dictionary)
        raise Base::Validation.failure("dictionary", dictionary, "a Dictionary")
      end

      @dictionary = dictionary || Text::Dictionary.new
      @finder = Text::RouteFinder.new(@dictionary)
      @model = Text::HiddenMarkovModel.new(@dictionary.force_split)
      freeze
    end

    # @param text [String] any text
    # @param hmm [Boolean] whether unknown words are guessed by the hidden Markov model
    # @param unknown [Hash] refused
    # @return [Array<String>] the words in their order; joined they are the text again
    # @raise [InvalidInputError] the text is not a valid text, or an option is unknown
    def cut(text, hmm: true, **unknown)
      Base::Validation.known("option", unknown.keys, %w[hmm]) unless unknown.empty?
      text = Base::Validation.text("text", text)
      hmm = Base::Validation.boolean("hmm", hmm)
      points = text.unpack("U*")
      ends = @finder.block_ends(points)
      offsets = byte_offsets(text, points)
      hmm ? cut_with_model(text, points, ends, offsets) : cut_without_model(text, points, ends, offsets)
    end

    # @param (see #cut)
    # @return [Array<String>] the words, each after the dictionary words of two and three characters inside it
    # @raise (see #cut)
    def cut_for_search(text, hmm: true, **unknown)
      Base::Validation.known("option", unknown.keys, %w[hmm]) unless unknown.empty?
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
    # @param frequency [Integer, nil] from 0 to {Text::Dictionary::MAXIMUM_FREQUENCY}; nil takes the one of
    #   {suggest_frequency}; 0 makes the segmenter cut the word up
    # @param tag [String, nil] its part of speech
    # @param unknown [Hash] refused
    # @return [void]
    # @raise [InvalidInputError] an argument is not acceptable, or an option is unknown
    def add_word(word, frequency: nil, tag: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[frequency tag])
      @dictionary.add(word, frequency.nil? ? suggest_frequency(word) : frequency, tag)
    end

    # @param word [String] the word, not empty
    # @return [Integer] a frequency that makes a word more probable than the words it is cut into without the model
    # @raise [InvalidInputError] the word is not acceptable
    def suggest_frequency(word)
      word = Text::Dictionary.user_word(word)
      total = @dictionary.total
      product = cut(word, hmm: false).reduce(1.0) do |sofar, piece|
        sofar * ((@dictionary.entry(piece.codepoints) || 1) / total.to_f)
      end
      needed = [(product * total).to_i + 1, @dictionary.entry(word.codepoints) || 1].max
      needed.clamp(1, Text::Dictionary::MAXIMUM_FREQUENCY)
    end

    # @param term [String]
    # @return [Integer] the number of times the term occurs in the dictionary's corpus; 0 if it is not a word (TXT-6)
    def frequency(term)
      @dictionary.frequency(term)
    end

    # @param term [String]
    # @return [String] its part of speech; "" if the dictionary has none (TXT-6)
    def tag(term)
      @dictionary.tag(term)
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
      Text::UserDictionary.read(path).each { |word, frequency, tag| add_word(word, frequency:, tag:) }
      nil
    end

    # Return the most probable way to cut a token up, excluding the token as a whole, without the model (TXT-5). A token
    # of one character is its own only piece. Single letters and digits stay separate: see {rejoin_latin}.
    #
    # @param token [String]
    # @return [Array<String>]
    # @raise [InvalidInputError] the token is not a valid text
    def best_route_without_whole(token)
      token = Base::Validation.text("token", token)
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

    def cut_with_model(text, points, ends, offsets)
      words = []
      size = points.size
      start = 0
      single = nil
      while start < size
        stop = ends[start]
        if stop == start + 1
          single ||= start
          start = stop
          next
        end
        if single
          add_singles(text, points, offsets, single, start, words)
          single = nil
        end
        stop ||= rest_end(points, start)
        offset = offsets[start]
        words << text.byteslice(offset, offsets[stop] - offset)
        start = stop
      end
      add_singles(text, points, offsets, single, size, words) if single
      words
    end

    # Add a run that the route cut into single characters: as the model's words, unless the dictionary has the run as a
    # word.
    def add_singles(text, points, offsets, from, to, words)
      offset = offsets[from]
      run = text.byteslice(offset, offsets[to] - offset)
      if to - from == 1
        words << run
      elsif @dictionary.entry(points, from, to)&.positive?
        words.concat(run.chars)
      elsif run.bytesize == 3 * (to - from) && @dictionary.force_split.empty?
        add_run(text, points, offset, from, to, words)
      elsif LATIN.match?(run)
        words.push(run)
      else
        words.concat(@model.cut(run))
      end
    end

    # Add the model's words of a run of Han characters.
    def add_run(text, points, offset, from, to, words)
      if to - from > 2
        offset -= 3 * from
        @model.word_ends(points, from, to).each do |stop|
          words << text.byteslice(offset + (from * 3), (stop - from) * 3)
          from = stop
        end
      elsif @model.pair?(points[from], points[from + 1])
        words << text.byteslice(offset, 6)
      else
        words << text.byteslice(offset, 3) << text.byteslice(offset + 3, 3)
      end
    end

    def cut_without_model(text, points, ends, offsets)
      words = []
      size = points.size
      start = 0
      while start < size
        stop = ends[start] || rest_end(points, start)
        if stop == start + 1 && latin?(points[start])
          stop += 1 while stop < size && ends[stop] == stop + 1 && latin?(points[stop])
        end
        words << text.byteslice(offsets[start], offsets[stop] - offsets[start])
        start = stop
      end
      words
    end

    # Return the end of a token outside the blocks: every character is a token, but `\r\n` stays whole.
    def rest_end(points, start)
      points[start] == CARRIAGE_RETURN && points[start + 1] == LINE_FEED ? start + 2 : start + 1
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

    # Return the byte offset of each character, and of the end of the text.
    def byte_offsets(text, points)
      size = points.size
      bytes = text.bytesize
      if size <= EVEN_LENGTH
        return EVEN_OFFSETS[1] if bytes == size
        return EVEN_OFFSETS[3] if bytes == size * 3 && points.min >= 0x800 && points.max < 0x10000
      end
      offsets = Array.new(size + 1, 0)
      offset = 0
      index = 0
      while index < size
        point = points[index]
        index += 1
        offset += if point < 0x80 then 1
                  elsif point < 0x800 then 2
                  else
                    point < 0x10000 ? 3 : 4
                  end
        offsets[index] = offset
      end
      offsets
    end
  end
end
