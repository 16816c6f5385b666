# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the documents of an index file from which hits were made, up to a limit of memory (SQL-5); the
    # documents that were read first make room.
    #
    # A document is its fields except its vectors, and the names of its vector fields. Several threads may use it at
    # once without a lock, so the size is only approximate.
    class KeptDocuments < KeptByNumber
      # The approximate number of bytes of a document in addition to its values.
      BYTES_OF_DOCUMENT = 1024
      # The approximate number of bytes of a value in addition to the values in it.
      BYTES_OF_VALUE = 40
      private_constant :BYTES_OF_DOCUMENT, :BYTES_OF_VALUE

      # @param memory [Integer] the maximum number of bytes
      def initialize(memory)
        super()
        @room = Room.new(memory)
      end

      # Cache a document that is not cached.
      #
      # @param number [Integer]
      # @param value [Array(Hash{String=>Object}, Array<String>)]
      # @return [void]
      def keep(number, value)
        super
        @room.used += size(value)
        while @room.full? && (dropped = @shared.shift)
          @room.used -= size(dropped[1])
        end
        return unless @room.full?

        @own.clear
        @room.used = 0
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @return [KeptDocuments] the unchanged documents, for a later state
      def after(touched)
        @room.used -= found(touched).each_value.sum { |held| size(held) } # whole numbers
        super
      end

      private

      def size(held)
        BYTES_OF_DOCUMENT + held[0].each_value.sum { |value| size_of_value(value) } # whole numbers
      end

      def size_of_value(value)
        case value
        when String then BYTES_OF_VALUE + value.bytesize
        when Array then BYTES_OF_VALUE + value.sum { |held| size_of_value(held) } # whole numbers
        when Hash then BYTES_OF_VALUE + value.sum { |pair| pair.sum { |held| size_of_value(held) } } # whole numbers
        else BYTES_OF_VALUE
        end
      end
    end
  end
end
