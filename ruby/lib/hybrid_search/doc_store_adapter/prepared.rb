# frozen_string_literal: true

module HybridSearch
  # Tokens and their numbers, in the order in which they were first met; safe to use from several threads.
  class Vocabulary
    def initialize
      @numbers = {}
      @lock = Thread::Mutex.new
    end

    # @return [String, nil] the number of a token as bytes, nil if no prepared document holds it
    def find(token)
      number = @numbers[token]
      number && [number].pack("V")
    end

    # @param tokens [Array<String>]
    # @return [String] their numbers as bytes; new tokens get the next numbers
    def pack(tokens)
      numbers = @lock.synchronize { tokens.map { |token| @numbers[token] ||= @numbers.size } }
      numbers.pack("V*").freeze
    end
  end

  # A document as the hybrid rerank needs it (RNK-1): what a store may make of it when it is inserted, so that
  # reranking need not read it again.
  #
  # Tokens become numbers of one vocabulary, four bytes each: whether a document holds a token, or two tokens next to
  # each other, is then a search for four or eight bytes. The fields stay the truth: a prepared document gives the same
  # bits.
  class PreparedDocument
    BYTES_PER_TOKEN = 4

    # @return [Vocabulary] what the numbers mean; one per store
    attr_reader :vocabulary
    # @return [String] the numbers of the tokens of RNK-1, in their order, four bytes each
    attr_reader :tokens
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

        new(vocabulary:, tokens: vocabulary.pack(tokens), norm: vector && Numeric.norm(vector),
            dimension: vector ? vector.size : 0)
      end

      # @param tokens [String] packed tokens
      # @param pattern [String] packed tokens
      # @return [Integer] where `pattern` begins in `tokens`, counted in tokens; -1 if it is not there
      def position(tokens, pattern)
        found = tokens.index(pattern)
        found = tokens.index(pattern, found + 1) while found && found % BYTES_PER_TOKEN != 0
        found ? found / BYTES_PER_TOKEN : -1
      end
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
