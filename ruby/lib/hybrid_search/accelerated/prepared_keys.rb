# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the keys of a question, tokens and concatenated neighbours, in documents of one vocabulary (RNK-1, QRY-9).
    #
    # A document has a key if it contains the key as a token, or two neighbouring tokens whose concatenation is the key.
    class PreparedKeys
      include Base::ShortInspect

      LONGEST_CUT = 64
      LAST_PLACE = 4095
      private_constant :LONGEST_CUT, :LAST_PLACE

      # @param keys [Array<String>]
      # @param vocabulary [Vocabulary]
      def initialize(keys, vocabulary)
        @usable = keys.all? { |key| key.length <= LONGEST_CUT || key.length > 2 * vocabulary.longest }
        # number => [place of its key, or nil; following number => place of the key that both form, or nil]
        @entries = {}
        keys.each_with_index { |key, place| add(key, place, vocabulary) } if @usable
        # Most tokens are in no key. The last bits of their numbers are enough to exclude them.
        @table = Array.new(LAST_PLACE + 1, false)
        @entries.each_key { |number| @table[number & LAST_PLACE] = true }
        freeze
      end

      # @return [Boolean] whether this method can be used: no key of more than 64 characters may be two tokens
      def usable?
        @usable
      end

      # @param documents [Array<PreparedDocument>]
      # @return [Array<Integer>] the keys of each document: a bit for each key, the first key's the lowest
      def found(documents)
        documents.map { |document| found_in(document.tokens) }
      end

      private

      def found_in(numbers)
        table = @table
        found = 0
        index = 0
        size = numbers.size
        while index < size
          number = numbers[index]
          index += 1
          next unless table[number & LAST_PLACE]

          entry = @entries[number]
          next unless entry

          place, following = entry
          found |= 1 << place if place
          place = following && following[numbers[index]]
          found |= 1 << place if place
        end
        found
      end

      def add(key, place, vocabulary)
        number = vocabulary.number(key)
        entry(number)[0] = place if number
        vocabulary.pairs(key).each { |first, second| (entry(first)[1] ||= {})[second] = place }
      end

      def entry(number)
        @entries[number] ||= [nil, nil]
      end
    end
  end
end
