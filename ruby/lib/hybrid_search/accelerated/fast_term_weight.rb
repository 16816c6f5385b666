# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Caches the weights of terms (TW-1 … TW-9) until words are added to the dictionary, because questions share words.
    # Nothing is cached for a tokenizer without a `version`, as its changes cannot be noticed. Safe to share between
    # threads.
    class FastTermWeight < HybridSearch::TermWeight
      MOST_KNOWN = 4096
      LONGEST_KNOWN = 64
      private_constant :MOST_KNOWN, :LONGEST_KNOWN

      # Take the arguments of {HybridSearch::TermWeight#initialize}.
      def initialize(...)
        @lock = Mutex.new
        @known = {}
        @known_version = [nil]
        super
      end

      private

      def raw_weights(terms)
        return super unless @tokenizer.respond_to?(:version)

        @lock.synchronize do
          forget if @known_version[0] != @tokenizer.version || @known.size >= MOST_KNOWN
          terms.map { |term| @known[term] || learn(term, raw_weight(term)) }
        end
      end

      def forget
        @known_version[0] = @tokenizer.version
        @known.clear
      end

      def learn(term, weight)
        @known[term] = weight if term.length <= LONGEST_KNOWN
        weight
      end
    end
  end
end
