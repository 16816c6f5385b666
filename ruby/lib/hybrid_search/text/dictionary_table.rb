# frozen_string_literal: true

module HybridSearch
  module Text
    # jieba's dictionary as a double-array trie (TXT-3), read from `ruby/data/dictionary.bin`; frozen, and shared by
    # every {Dictionary}.
    #
    # A node is a slot of the arrays, and slot 0 is the root. The child of `node` by the character with code point `c`
    # is the slot `base[node] + c` if `check` of that slot is `node`. The root's base is 0.
    class DictionaryTable
      PATH = File.expand_path("../../../data/dictionary.bin", __dir__).freeze
      MAGIC = "HSDICT1\n".b.freeze
      HEADER_SIZE = 48
      # The characters of jieba's `re_han_default`, whose runs are blocks.
      BLOCK_POINTS = [*0x4E00..0x9FD5, *0x61..0x7A, *0x41..0x5A, *0x30..0x39, *"+#&._%-".codepoints].freeze
      private_constant :BLOCK_POINTS
      private_constant :PATH, :MAGIC, :HEADER_SIZE

      @lock = Mutex.new
      @shared = nil

      # @return [DictionaryTable] the table in the gem, read on first use
      def self.shared
        @shared || @lock.synchronize { @shared ||= new(PATH) }
      end

      # @return [Array<Integer>] slot → the base of its children
      attr_reader :base
      # @return [Array<Integer>] the parent of a slot; for a free slot a number that is not a slot
      attr_reader :check
      # @return [Array<Integer>] slot → the index of its frequency among the distinct frequencies
      attr_reader :numbers
      # @return [Array<Float, nil>] log(frequency / total) of the distinct frequencies, as a difference of logarithms;
      #   nil for 0, the frequency of a mere prefix
      attr_reader :weights
      # @return [Array<Float, false, nil>] the weights of the characters of {Segmenter}'s blocks as words, false for
      #   characters that are not words; nil for all other code points, which end a block
      attr_reader :block_weights
      # @return [Float] the weight of frequency 1, which is used for a character where no word begins
      attr_reader :unknown_weight
      # @return [Integer] the sum of the frequencies of all lines
      attr_reader :total

      # @param path [String] a file that `bin/conformance make data` made
      # @raise [ConfigurationError] the file is missing, truncated or of another kind
      def initialize(path)
        @path = path
        content = read(path)
        slots, distinct, *sizes = content.unpack("@8L<8")
        @total = content.unpack1("Q<", offset: HEADER_SIZE - 8)
        damaged unless content.bytesize == HEADER_SIZE + sizes.sum # whole numbers
        @base, @check, @numbers, @frequencies = unpack_arrays(content, slots, distinct, sizes)
        content.clear
        logtotal = Math.log(@total)
        @unknown_weight = Math.log(1) - logtotal
        @weights = @frequencies.map { |frequency| frequency.zero? ? nil : Math.log(frequency) - logtotal }.freeze
        @block_weights = weigh_block_characters
        @tags = TagTable.new(path, HEADER_SIZE + sizes.first(4).sum, slots, sizes.last) # whole numbers
        freeze
      end

      # @param points [Array<Integer>] code points
      # @param from [Integer] the first position that counts
      # @param to [Integer] the position after the last one that counts
      # @return [Integer, nil] the slot of a word or prefix; nil if no word begins with these code points
      def slot(points, from, to)
        node = 0
        while from < to
          slot = @base[node] + points[from]
          return nil unless @check[slot] == node

          node = slot
          from += 1
        end
        node
      end

      # @return [Integer, nil] the frequency of a word, 0 for a mere prefix; nil if no word begins with these code
      #   points
      def entry(points, from, to)
        found = slot(points, from, to)
        found && frequency(found)
      end

      # @param slot [Integer] a node
      # @return [Integer] the frequency of its word, 0 for a mere prefix
      def frequency(slot)
        @frequencies[@numbers[slot]]
      end

      # @param word [String]
      # @return [String] its part of speech, "" if it has none
      def tag(word)
        points = word.codepoints
        found = slot(points, 0, points.size)
        found.nil? || found.zero? ? "" : @tags.at(found)
      end

      # @return [String] a short text; Ruby's own would fill the message of every `NoMethodError`
      def inspect
        "#<#{self.class} #{@frequencies.size} frequencies, total #{@total}>"
      end

      # The parts of speech, read on first use, since most programs need none.
      class TagTable
        include Base::ShortInspect

        def initialize(path, offset, slots, names_size)
          @path = path
          @offset = offset
          @slots = slots
          @names_size = names_size
          @lock = Mutex.new
          @loaded = nil
        end

        # @param slot [Integer] a slot of the trie
        # @return [String]
        def at(slot)
          numbers, names = @loaded || @lock.synchronize { @loaded ||= load }
          names.fetch(numbers.getbyte(slot))
        end

        private

        def load
          content = File.binread(@path, @slots + @names_size, @offset)
          names = content.byteslice(@slots, @names_size).force_encoding(::Encoding::UTF_8).lines(chomp: true)
          [content.byteslice(0, @slots).freeze, names.each(&:freeze).freeze].freeze
        rescue ::SystemCallError
          raise ConfigurationError, "the dictionary #{Base::Validation.describe(@path)} cannot be read"
        end
      end
      private_constant :TagTable

      private

      def read(path)
        content = File.binread(path)
        damaged unless content.bytesize >= HEADER_SIZE && content.start_with?(MAGIC)
        content
      rescue ::SystemCallError
        raise ConfigurationError, "the dictionary #{Base::Validation.describe(path)} cannot be read"
      end

      # Read the arrays with "U", which reads any number, and is the fastest way to read many.
      def unpack_arrays(content, slots, distinct, sizes)
        offset = HEADER_SIZE
        [slots, slots, slots, distinct].zip(sizes).map do |count, size|
          found = content.unpack("U#{count}", offset:).freeze
          offset += size
          found.size == count ? found : damaged
        end
      rescue ::ArgumentError
        damaged
      end

      def weigh_block_characters
        BLOCK_POINTS.each_with_object(Array.new(BLOCK_POINTS.max + 1)) do |point, found|
          found[point] = (@check[point].zero? && @weights[@numbers[point]]) || false
        end.freeze
      end

      def damaged
        raise ConfigurationError, "the dictionary #{Base::Validation.describe(@path)} is damaged or cut short"
      end
    end
  end
end
