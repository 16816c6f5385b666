# frozen_string_literal: true

module HybridSearch
  module Text
    # Guesses words in runs of characters that the dictionary cuts into single characters (TXT-2): jieba's `finalseg`.
    #
    # Every Han character is the beginning (B), middle (M) or end (E) of a word, or a word of its own (S). Viterbi's
    # algorithm finds the most probable labels. Probabilities are logarithms. The logarithm of probability 0 is what
    # jieba calls MIN_FLOAT, -3.14e100. The table contains it divided by 2^100. This changes no comparison, since both
    # values absorb every other addend, but it keeps sums within the range that Ruby computes without allocating.
    class HiddenMarkovModel
      include Base::ShortInspect

      FIRST = 0x4E00
      LAST = 0x9FD5
      SIZE = LAST - FIRST + 1
      HAN = /([\u4E00-\u9FD5]+)/
      SKIP = /([a-zA-Z0-9]+(?:\.[0-9]+)?%?)/
      PATH = File.expand_path("../../../data/hidden_markov_model.bin", __dir__).freeze
      MAGIC = "HSHMM01\n".b.freeze
      private_constant :SIZE, :HAN, :SKIP, :PATH, :MAGIC

      # The states whose best predecessor is the second of their two: S before B, M before M, M before E, S before S.
      B_AFTER_S = 1
      M_AFTER_M = 2
      E_AFTER_M = 4
      S_AFTER_S = 8
      private_constant :B_AFTER_S, :M_AFTER_M, :E_AFTER_M, :S_AFTER_S

      # The probabilities.
      #
      # @!attribute [r] start
      #   @return [Array<Float>] of the first label: B, M, E, S
      # @!attribute [r] steps
      #   @return [Array<Float>] of one label after another: E→B, S→B, B→M, M→M, B→E, M→E, E→S, S→S
      # @!attribute [r] emissions
      #   @return [Array<Float>] of the characters from {FIRST} to {LAST}, each for B, M, E, S
      Parameters = Struct.new(:start, :steps, :emissions)

      @lock = Mutex.new
      @parameters = nil

      # @return [Parameters] the parameters in the gem, read on first use, frozen
      def self.parameters
        @parameters || @lock.synchronize { @parameters ||= load(PATH) }
      end

      # @param path [String] a file that `bin/conformance make data` made
      # @return [Parameters]
      # @raise [ConfigurationError] the file is missing, truncated or of another kind
      def self.load(path)
        content = File.binread(path)
        unless content.start_with?(MAGIC) && content.bytesize == MAGIC.bytesize + (8 * (12 + (4 * SIZE)))
          raise ConfigurationError, "the model #{Base::Validation.describe(path)} is damaged or cut short"
        end

        emissions = content.unpack("E#{4 * SIZE}", offset: MAGIC.bytesize + 96).freeze
        start = content.unpack("E4", offset: MAGIC.bytesize).freeze
        steps = content.unpack("E8", offset: MAGIC.bytesize + 32).freeze
        Parameters.new(start, steps, emissions).freeze
      rescue ::SystemCallError
        raise ConfigurationError, "the model #{Base::Validation.describe(path)} cannot be read"
      end
      private_class_method :load

      # @param force_split [Hash{String=>true}] words that are never joined
      def initialize(force_split)
        @force_split = force_split
        freeze
      end

      # @param text [String] a run of characters of {Segmenter}'s blocks
      # @return [Array<String>] its words; joined they are the text again
      def cut(text)
        text.split(HAN).each_with_index.flat_map do |piece, index|
          index.odd? ? cut_han(piece) : piece.split(SKIP).reject(&:empty?)
        end
      end

      # @param points [Array<Integer>] code points, all from {FIRST} to {LAST} in the part that counts
      # @param from [Integer] the first position that counts
      # @param to [Integer] the position after the last one that counts; at least two count
      # @return [Array<Integer>] the ends of the words, exclusive
      def word_ends(points, from, to)
        choices = []
        joined = label(points, from, to, choices)
        ends = [to]
        position = to - 1
        state = joined ? :E : :S
        # rubocop:disable Style/NumericPredicate, -- hot: predicates are calls
        while position > from
          bits = choices[position - from - 1]
          case state
          when :S
            state = bits & S_AFTER_S == 0 ? :E : :S
            ends << position
          when :E then state = bits & E_AFTER_M == 0 ? :B : :M
          when :M then state = bits & M_AFTER_M == 0 ? :B : :M
          else
            state = bits & B_AFTER_S == 0 ? :E : :S
            ends << position
          end
          position -= 1
        end
        # rubocop:enable Style/NumericPredicate
        ends.reverse!
      end

      # Return the result of {word_ends} for a run of two characters, computed directly.
      #
      # @param first [Integer] a code point from {FIRST} to {LAST}
      # @param second [Integer] the one after it
      # @return [Boolean] whether they are one word
      def pair?(first, second)
        parameters = HiddenMarkovModel.parameters
        steps = parameters.steps
        emissions = parameters.emissions
        start = parameters.start
        first = 4 * (first - FIRST)
        second = 4 * (second - FIRST)
        start[0] + emissions[first] + steps[4] + emissions[second + 2] >
          start[3] + emissions[first + 3] + steps[7] + emissions[second + 3]
      end

      private

      def cut_han(text)
        return [text] if text.length == 1

        points = text.codepoints
        start = 0
        word_ends(points, 0, points.size).flat_map do |stop|
          word = text[start, stop - start]
          start = stop
          @force_split.key?(word) ? word.chars : [word]
        end
      end

      # Run Viterbi's algorithm. Of equal probabilities, the label later in the alphabet wins, as in jieba, which
      # compares pairs of probability and label.
      #
      # A run never begins with M or E, so the second character only considers B and S as predecessors. If M or E are
      # equally probable at first, because B or S do not occur either, the words are the same. The last character is E
      # or S.
      #
      # @param choices [Array<Integer>] receives the best predecessors for each position except the first
      # @return [Boolean] whether the last label is E, not S
      def label(points, from, to, choices)
        parameters = HiddenMarkovModel.parameters
        e_to_b, s_to_b, b_to_m, m_to_m, b_to_e, m_to_e, e_to_s, s_to_s = parameters.steps
        emissions = parameters.emissions
        start_b, _, _, start_s = parameters.start
        character = 4 * (points[from] - FIRST)
        b = start_b + emissions[character]
        s = start_s + emissions[character + 3]
        character = 4 * (points[from + 1] - FIRST)
        e = b + b_to_e + emissions[character + 2]
        m = b + b_to_m + emissions[character + 1]
        b = s + s_to_b + emissions[character]
        s = s + s_to_s + emissions[character + 3]
        choices << (B_AFTER_S | S_AFTER_S)
        position = from + 1
        last = to - 1
        while (position += 1) < to
          character = 4 * (points[position] - FIRST)
          bits = 0
          emission = emissions[character + 2]
          next_e = b + b_to_e + emission
          other = m + m_to_e + emission
          if other >= next_e
            next_e = other
            bits = E_AFTER_M
          end
          emission = emissions[character + 3]
          next_s = e + e_to_s + emission
          other = s + s_to_s + emission
          if other >= next_s
            next_s = other
            bits |= S_AFTER_S
          end
          if position == last
            choices << bits
            return next_e > next_s
          end
          emission = emissions[character]
          next_b = e + e_to_b + emission
          other = s + s_to_b + emission
          if other >= next_b
            next_b = other
            bits |= B_AFTER_S
          end
          emission = emissions[character + 1]
          next_m = b + b_to_m + emission
          other = m + m_to_m + emission
          if other >= next_m
            next_m = other
            bits |= M_AFTER_M
          end
          b = next_b
          m = next_m
          e = next_e
          s = next_s
          choices << bits
        end
        e > s
      end
    end
  end
end
