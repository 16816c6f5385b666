# frozen_string_literal: true

module HybridSearch
  module Text
    # Inverse document frequencies of words, read from `ruby/data/idf.bin`, which is made from jieba's `idf.txt`
    # (TXT-8); frozen, and shared.
    #
    # Words and prefixes of the dictionary have a number at their slot of its trie; the other words are listed.
    class IdfTable
      PATH = File.expand_path("../../../data/idf.bin", __dir__).freeze
      MAGIC = "HSIDF01\n".b.freeze
      # The magic, three counts, and the median.
      HEADER_SIZE = 28
      private_constant :PATH, :MAGIC, :HEADER_SIZE

      @lock = Mutex.new
      @shared = nil

      # @return [IdfTable] the table in the gem, read on first use
      def self.shared
        @shared || @lock.synchronize { @shared ||= new(PATH) }
      end

      # @return [Float] the inverse document frequency of the middle word, used for words without one
      attr_reader :median

      # @param path [String] a file that `bin/conformance make data` made with the dictionary's
      # @raise [ConfigurationError] the file is missing, truncated or of another kind
      def initialize(path)
        @dictionary = DictionaryTable.shared
        content = read(path)
        slots, distinct, others = content.unpack("@8L<3")
        @median = content.unpack1("E", offset: HEADER_SIZE - 8)
        values_end = HEADER_SIZE + (distinct * 8)
        slots_end = values_end + (slots * 2)
        names = slots_end + (others * 2)
        damaged(path) unless slots == @dictionary.base.size && content.bytesize >= names
        @values = [@median, *content.unpack("@#{HEADER_SIZE}E#{distinct}")].freeze
        @numbers = content.byteslice(values_end, slots * 2).freeze
        @others = other_words(content.byteslice(names..), content.unpack("@#{slots_end}S<#{others}"))
        damaged(path) unless @others.size == others
        freeze
      end

      # @param word [String]
      # @return [Float] its inverse document frequency, above 0; the {median} if it has none
      def idf(word)
        points = word.codepoints
        slot = @dictionary.slot(points, 0, points.size)
        return @values[@others.fetch(word, 0)] unless slot

        @values[@numbers.unpack1("S<", offset: slot * 2)]
      end

      # @return [String] a short text; Ruby's own would fill the message of every `NoMethodError`
      def inspect
        "#<#{self.class} median #{@median}>"
      end

      private

      def read(path)
        content = File.binread(path)
        damaged(path) unless content.bytesize >= HEADER_SIZE && content.start_with?(MAGIC)
        content
      rescue ::SystemCallError
        raise ConfigurationError,
              "the table of inverse document frequencies #{Base::Validation.describe(path)} cannot be read"
      end

      def other_words(names, numbers)
        words = names.force_encoding(::Encoding::UTF_8).lines(chomp: true)
        words.zip(numbers).to_h.freeze
      end

      def damaged(path)
        raise ConfigurationError,
              "the table of inverse document frequencies #{Base::Validation.describe(path)} is damaged or cut short"
      end
    end
  end
end
