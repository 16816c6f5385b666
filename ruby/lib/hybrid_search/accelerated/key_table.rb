# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Looks up keys in lists of tokens (QRY-9).
    #
    # A document has a key as a token, or as two neighbouring tokens whose concatenation is the key, for any cut of the
    # key in two. One look-up for each token determines whether it is a key or may begin one.
    class KeyTable
      include Base::ShortInspect

      # Longer keys are not cut in two at every place; neighbours of their length are concatenated instead.
      LONGEST_CUT = 64
      ONE = "1".ord
      private_constant :LONGEST_CUT, :ONE

      class << self
        # Return each document's share of the weight of the keys; equal integers share one sum.
        #
        # @param query_keys [QueryBuilders::QueryKeys] the keys with their weights
        # @param found [Array<Integer>] a bit for each key of a document, the first key's the lowest
        # @return [Array<Float>]
        def shares(query_keys, found)
          shares = {}
          found.map { |bits| shares[bits] ||= share(query_keys, bits.to_s(2)) }
        end

        private

        def share(query_keys, digits)
          score = QueryBuilders::QueryKeys::SMALLEST
          keys = query_keys.keys
          index = 0
          place = digits.size
          while place.positive?
            place -= 1
            score += keys[index][1] if digits.getbyte(place) == ONE
            index += 1
          end
          score / query_keys.total
        end
      end

      # @param keys [Array<String>]
      def initialize(keys)
        # token => [number of its key, or nil; following token => number of the key that both form, or nil]
        @table = {}
        @long = {}
        keys.each_with_index { |key, number| add(key, number) }
        freeze
      end

      # @param tokens [Array<String>] the tokens of a document
      # @return [Integer] the bits of the keys that the document has
      def found(tokens)
        table = @table
        found = 0
        following = nil
        index = 0
        size = tokens.size
        while index < size
          token = tokens[index]
          number = following && following[token]
          found |= 1 << number if number
          entry = table[token]
          if entry
            found |= 1 << entry[0] if entry[0]
            following = entry[1]
          else
            following = nil
          end
          index += 1
        end
        @long.empty? ? found : found | found_long(tokens)
      end

      private

      def add(key, number)
        entry(key)[0] = number
        if key.length > LONGEST_CUT
          @long[key] = number
        else
          (1...key.length).each { |cut| (entry(key[0, cut])[1] ||= {})[key[cut..]] = number }
        end
      end

      def entry(token)
        @table[token] ||= [nil, nil]
      end

      def found_long(tokens)
        lengths = @long.keys.to_h { |key| [key.length, true] }
        tokens.each_cons(2).reduce(0) do |found, (left, right)|
          number = lengths.key?(left.length + right.length) ? @long[left + right] : nil
          number ? found | (1 << number) : found
        end
      end
    end
  end
end
