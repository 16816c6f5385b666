# frozen_string_literal: true

module HybridSearch
  # Keeps what terms weigh, as a question's words come back in others, until words are added to the dictionary.
  #
  # Nothing is kept where the tokenizer is one that others made, which may change at any time. Safe to share between
  # threads.
  class KnownWeights
    MOST_KNOWN = 4096
    LONGEST_KNOWN = 64
    private_constant :MOST_KNOWN, :LONGEST_KNOWN

    # @param tokenizer [#tokenize] what the weights depend on
    def initialize(tokenizer)
      @tokenizer = tokenizer
      @lock = Mutex.new
      @version = 0
      @known = {}
    end

    # @param terms [Array<String>]
    # @yieldparam term [String] one that is not known
    # @yieldreturn [Float] what it weighs
    # @return [Array<Float>] what the terms weigh
    def of(terms, &weigh)
      return terms.map(&weigh) unless @tokenizer.instance_of?(Tokenizer)

      @lock.synchronize do
        forget if @version != @tokenizer.version || @known.size >= MOST_KNOWN
        terms.map { |term| @known[term] || learn(term, weigh.call(term)) }
      end
    end

    private

    def forget
      @version = @tokenizer.version
      @known = {}
    end

    def learn(term, weight)
      @known[term] = weight if term.length <= LONGEST_KNOWN
      weight
    end
  end
end
