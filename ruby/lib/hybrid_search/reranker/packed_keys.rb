# frozen_string_literal: true

module HybridSearch
  # Finds the keys of a question, its tokens and concatenated neighbours, in prepared documents (RNK-1, QRY-9).
  #
  # A document has a key when it has it as a token, or has two neighbouring tokens whose concatenation it is.
  class PackedKeys
    LONGEST_KEY = 64
    SEPARATOR = "\0"
    private_constant :LONGEST_KEY, :SEPARATOR

    # @param query_tokens [Array<String>]
    # @param vocabulary [Vocabulary]
    def initialize(query_tokens, vocabulary)
      keys = query_tokens | query_tokens.each_cons(2).map(&:join)
      @usable = keys.all? { |key| key.length <= LONGEST_KEY && !key.include?(SEPARATOR) }
      @searches = @usable ? keys.flat_map { |key| searches_of(key, vocabulary) } : []
      @by_bit = {}
    end

    # @return [Boolean] whether this way is open: no key is longer than 64 characters, none holds U+0000
    def usable?
      @usable
    end

    # @param prepared [PreparedDocument]
    # @return [Array<String>] a short list of tokens that has just those keys of the question which the document has
    def stand_in(prepared)
      mask, searches = @by_bit[prepared.last_bit] || arrange(prepared.last_bit)
      tokens = []
      common = prepared.filter & mask
      until common.zero?
        bit = common.bit_length - 1
        searches[bit].each { |key, pattern| tokens << key << SEPARATOR if prepared.holds?(pattern) }
        common ^= 1 << bit
      end
      tokens
    end

    private

    # The searches by the bit that filters of this size have for their first token, and all those bits.
    def arrange(last_bit)
      searches = @searches.group_by { |_, pattern| pattern.first & last_bit }
      mask = searches.keys.reduce(0) { |bits, bit| bits | (1 << bit) }
      @by_bit[last_bit] = [mask, searches]
    end

    # The key with each of what a document with it may hold: the key itself, or its two parts, wherever it is cut.
    def searches_of(key, vocabulary)
      [vocabulary.token(key), *vocabulary.pairs(key)].compact.map { |pattern| [key, pattern] }
    end
  end
end
