# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the ids of documents that searches have read in one state of the tables, and of their numbers (SQL-5,
    # PG-5).
    class KeptIdentifiers < KeptByNumber
      # The approximate number of bytes of a number and an id, in one direction.
      BYTES_PER_IDENTIFIER = 128

      # @param memory [Integer] the maximum number of bytes
      def initialize(memory)
        super()
        @most = memory / BYTES_PER_IDENTIFIER
        @numbers = {}
      end

      # @param identifier [String]
      # @return [Integer, nil] the number of a document; nil if it is not cached
      def number(identifier)
        number = @numbers[identifier] # of any state
        number if number && find(number) == identifier
      end

      # Cache ids by the numbers of their documents; without room for them, those cached before are dropped.
      #
      # @param identifiers [Hash{Integer=>String}] number → id
      # @return [void]
      def keep_all(identifiers)
        if @shared.size + @own.size + @numbers.size + (2 * identifiers.size) > @most
          @shared = {}
          @own = {}
          @numbers = {}
        end
        return if 2 * identifiers.size > @most

        identifiers.each do |number, identifier|
          keep(number, identifier)
          @numbers[identifier] = number
        end
      end
    end
  end
end
