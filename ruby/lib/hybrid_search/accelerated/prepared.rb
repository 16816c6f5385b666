# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Tokens and their numbers, in the order of their first appearance.
    #
    # One thread may assign numbers while others read them: {#longest} includes a token before the token gets its
    # number.
    class Vocabulary
      include Base::ShortInspect

      # @return [Integer] the number of characters of the longest token
      attr_reader :longest

      def initialize
        @numbers = {}
        @longest = 0
      end

      # @param tokens [Array<String>]
      # @return [Array<Integer>] their numbers; new tokens get the next numbers
      def numbers(tokens)
        tokens.each { |token| @longest = token.length if token.length > @longest }
        tokens.map { |token| @numbers[token] ||= @numbers.size }
      end

      # @param token [String]
      # @return [Integer, nil] its number, nil if no prepared document contains it
      def number(token)
        @numbers[token]
      end

      # @param key [String]
      # @return [Array<Array(Integer, Integer)>] the numbers of the pairs of tokens whose concatenation is the key
      def pairs(key)
        size = key.length
        cut = [1, size - @longest].max
        last = [size - 1, @longest].min
        pairs = []
        while cut <= last
          first = @numbers[key[0, cut]]
          second = first && @numbers[key[cut, size]]
          pairs << [first, second] if second
          cut += 1
        end
        pairs
      end
    end

    # A document in the form that the hybrid rerank needs (RNK-1). A store may prepare it when it is inserted, so that
    # reranking need not read it again.
    #
    # Tokens become numbers of one vocabulary. They show whether a document contains a token, or two tokens next to each
    # other, without comparing texts. The fields remain authoritative: a prepared document leads to the same bits.
    class PreparedDocument
      include Base::ShortInspect

      # @return [Vocabulary] the vocabulary of the numbers; one per store
      attr_reader :vocabulary
      # @return [Array<Integer>] the numbers of the tokens of RNK-1, in their order
      attr_reader :tokens
      # @return [Float, nil] the norm of the vector in the vector field, nil without a usable vector
      attr_reader :norm
      # @return [Integer] the number of components of that vector; 0 without one
      attr_reader :dimension

      # @param vocabulary [Vocabulary] the vocabulary of the store
      # @param fields [Hash{String=>Object}] the stored fields of the document
      # @param vector [Array<Float>, nil] the checked vector of the document, finite and with a finite squared norm
      # @return [PreparedDocument, nil] nil if a field is invalid, which the {Reranker} then reports
      def self.prepare(vocabulary, fields, vector)
        reader = Stores::Documents::StoredFields.new
        tokens = Stores::Documents::StoredFields.hybrid_tokens("", fields, reader)
        return nil unless reader.warnings.empty?

        new(vocabulary:, tokens: vocabulary.numbers(tokens).freeze, norm: vector && Base::Numeric.norm(vector),
            dimension: vector ? vector.size : 0)
      end

      def initialize(vocabulary:, tokens:, norm:, dimension:)
        @vocabulary = vocabulary
        @tokens = tokens
        @norm = norm
        @dimension = dimension
        freeze
      end
    end
  end
end
