# frozen_string_literal: true

module HybridSearch
  # Finds the keys of a question, its tokens and concatenated neighbours, in the packed tokens of prepared documents
  # (RNK-1, QRY-9).
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
      found = @usable ? keys.map { |key| [key, patterns(key, vocabulary)] } : []
      @patterns_of = found.reject { |_, patterns| patterns.empty? }
    end

    # @return [Boolean] whether this way is open: no key is longer than 64 characters, none holds U+0000
    def usable?
      @usable
    end

    # @param packed [String] packed tokens
    # @return [Array<String>] a short list of tokens that has just those keys of the question which the packed ones have
    def stand_in(packed)
      tokens = []
      @patterns_of.each do |key, patterns|
        patterns.each do |pattern|
          next if PreparedDocument.position(packed, pattern).negative?

          tokens << key << SEPARATOR
          break
        end
      end
      tokens
    end

    private

    # What a document with the key holds: the key itself, or its two parts, wherever it is cut.
    def patterns(key, vocabulary)
      whole = vocabulary.find(key)
      patterns = whole ? [whole] : []
      (1...key.length).each do |cut|
        left = vocabulary.find(key[0, cut])
        right = left && vocabulary.find(key[cut..])
        patterns << (left + right) if right
      end
      patterns
    end
  end
end
