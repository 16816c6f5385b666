# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the documents of an index file from which hits were made, up to a limit of memory (SQL-5); the
    # documents that were read first make room.
    class KeptDocuments
      include Base::ShortInspect

      # The approximate number of bytes of a document in addition to its values.
      BYTES_OF_DOCUMENT = 1024
      # The approximate number of bytes of a value in addition to the values in it.
      BYTES_OF_VALUE = 40
      private_constant :BYTES_OF_DOCUMENT, :BYTES_OF_VALUE

      # @param memory [Integer] the maximum number of bytes
      # @param documents [Hash] number → document, of an earlier state
      # @param size [Integer] their number of bytes
      def initialize(memory, documents = {}, size = 0)
        @most = memory
        @size = size
        @kept = documents
      end

      # @param number [Integer]
      # @return [Array(Hash{String=>Object}, Array<String>), nil] the fields of a document except its vectors, and the
      #   names of its vector fields; nil if it is not cached
      def find(number)
        @kept[number]
      end

      # Cache a document that is not cached.
      #
      # @param number [Integer]
      # @param held [Array(Hash{String=>Object}, Array<String>)] as {#find} returns it
      # @return [void]
      def keep(number, held)
        @size += size(held)
        @kept[number] = held
        while @size > @most && (dropped = @kept.shift)
          @size -= size(dropped[1])
        end
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @return [KeptDocuments] the unchanged documents, for a later state
      def after(touched)
        kept = @kept.dup
        gone = touched.filter_map { |number| kept.delete(number) }
        KeptDocuments.new(@most, kept, @size - gone.sum { |held| size(held) }) # whole numbers
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
