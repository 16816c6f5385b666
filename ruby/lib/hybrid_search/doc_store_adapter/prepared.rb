# frozen_string_literal: true

module HybridSearch
  # One token, or two that follow one another, as packed tokens are searched for them.
  class TokenPattern
    # @return [Integer] the number of the token
    attr_reader :first
    # @return [Integer, nil] the number of the token that follows, nil for one token
    attr_reader :second
    # @return [String] the same as bytes
    attr_reader :packed

    def initialize(first, second)
      @first = first
      @second = second
      @packed = [first, *second].pack("V*").freeze
      freeze
    end
  end

  # Tokens and their numbers, in the order in which they were first met; safe to use from several threads.
  class Vocabulary
    def initialize
      @numbers = {}
      @lock = Thread::Mutex.new
    end

    # @param tokens [Array<String>]
    # @return [Array<Integer>] their numbers; new tokens get the next numbers
    def numbers(tokens)
      @lock.synchronize { tokens.map { |token| @numbers[token] ||= @numbers.size } }
    end

    # @param token [String]
    # @return [TokenPattern, nil] what to search for, nil if the token is in no prepared document
    def token(token)
      first = @numbers[token]
      first && TokenPattern.new(first, nil)
    end

    # @param key [String]
    # @return [Array<TokenPattern>] the pairs of tokens that concatenated are the key
    def pairs(key)
      (1...key.length).filter_map do |cut|
        first = @numbers[key[0, cut]]
        second = first && @numbers[key[cut..]]
        second && TokenPattern.new(first, second)
      end
    end
  end

  # A document as the hybrid rerank needs it (RNK-1): what a store may make of it when it is inserted, so that
  # reranking need not read it again.
  #
  # Tokens become numbers of one vocabulary, four bytes each: whether a document holds a token, or two tokens next to
  # each other, is then a search for four or eight bytes, which a small bit map mostly spares. The fields stay the
  # truth: a prepared document gives the same bits.
  class PreparedDocument
    BYTES_PER_TOKEN = 4
    SMALLEST_FILTER = 64
    FILTER_BITS_PER_TOKEN = 8
    private_constant :BYTES_PER_TOKEN, :SMALLEST_FILTER, :FILTER_BITS_PER_TOKEN

    # @return [Vocabulary] what the numbers mean; one per store
    attr_reader :vocabulary
    # @return [String] the numbers of the tokens of RNK-1, in their order, four bytes each
    attr_reader :tokens
    # @return [Integer] bit `number & last_bit` is set for each token
    attr_reader :filter
    # @return [Integer] the place of the filter's last bit, a power of two less one, at least 63
    attr_reader :last_bit
    # @return [Float, nil] the norm of the vector in the vector field, nil without a usable vector
    attr_reader :norm
    # @return [Integer] how many components that vector has; 0 without one
    attr_reader :dimension

    class << self
      # @param vocabulary [Vocabulary] the store's
      # @param fields [Hash{String=>Object}] the stored fields of the document
      # @param vector [Array<Float>, nil] the checked vector of the document, finite and with a finite squared norm
      # @return [PreparedDocument, nil] nil when a field is not what it should be (the {Reranker} then says so)
      def prepare(vocabulary, fields, vector)
        reader = StoredFields.new
        tokens = StoredFields.hybrid_tokens("", fields, reader)
        return nil unless reader.warnings.empty?

        numbers = vocabulary.numbers(tokens)
        last_bit = last_bit_for(numbers.size)
        new(vocabulary:, tokens: numbers.pack("V*").freeze, filter: bit_map(numbers, last_bit), last_bit:,
            norm: vector && Numeric.norm(vector), dimension: vector ? vector.size : 0)
      end

      private

      def last_bit_for(count)
        bits = SMALLEST_FILTER
        bits *= 2 while bits < count * FILTER_BITS_PER_TOKEN
        bits - 1
      end

      def bit_map(numbers, last_bit)
        digits = "0" * (last_bit + 1)
        numbers.each { |number| digits.setbyte(last_bit - (number & last_bit), 49) }
        digits.to_i(2)
      end
    end

    def initialize(vocabulary:, tokens:, filter:, last_bit:, norm:, dimension:)
      @vocabulary = vocabulary
      @tokens = tokens
      @filter = filter
      @last_bit = last_bit
      @norm = norm
      @dimension = dimension
      freeze
    end

    # @param pattern [TokenPattern]
    # @return [Boolean] whether the pattern's tokens are there, next to each other
    def holds?(pattern)
      return false if @filter[pattern.first & @last_bit].zero?

      second = pattern.second
      return false if second && @filter[second & @last_bit].zero?

      found = @tokens.index(pattern.packed)
      found = @tokens.index(pattern.packed, found + 1) while found && found % BYTES_PER_TOKEN != 0
      !found.nil?
    end
  end
end
