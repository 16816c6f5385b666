# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A block of rows of whole numbers, column by column: each column is one large Integer that contains a number of 32
    # bits of every row, its lane. One multiplication and one addition therefore serve all rows of the block. Immutable.
    #
    # {GmpLanes} has the same interface and returns the same sums without an Integer for each step.
    class IntegerLanes
      include Base::ShortInspect

      BITS = 32
      # The maximum number of rows of a block, whose numbers should fit into the processor's cache.
      LARGEST_BLOCK = 4096

      class << self
        # @param columns [Array<String>] for each column the numbers of all rows, with four bytes each, the lowest first
        # @param size [Integer] the number of rows; even
        # @return [IntegerLanes]
        def of(columns, size)
          new(columns.map { |column| integer(column) }, size)
        end

        # Return the Integer with the given bytes, the lowest first. Ruby's serialized form contains them in this order,
        # after half their number. Reading hexadecimal digits would take six times as long.
        #
        # @param bytes [String] an even number of them
        # @return [Integer]
        def integer(bytes)
          Marshal.load("\x04\bl+\x04".b << [bytes.bytesize / 2].pack("V") << bytes) # rubocop:disable Security/MarshalLoad
        end

        # @param total [Integer] the numbers of some rows; not negative
        # @param size [Integer] the number of rows
        # @return [Array<Integer>] these numbers
        def numbers(total, size)
          [total.to_s(16).rjust(size * BITS / 4, "0")].pack("H*").unpack("N*").reverse
        end
      end

      # @return [Integer] the number of rows
      attr_reader :size

      # @param columns [Array<Integer>]
      # @param size [Integer] the number of rows
      def initialize(columns, size)
        @columns = columns
        @size = size
      end

      # @param other [IntegerLanes] a block with the same number of columns
      # @return [IntegerLanes] a block with the rows of the other one after those of this one
      def joined(other)
        shift = BITS * @size
        both = @columns.zip(other.columns).map { |column, behind| column + (behind << shift) }
        IntegerLanes.new(both, @size + other.size)
      end

      # Add up products. Numbers of lanes may leave their lanes while they are added: what a lane borrows from the next
      # one, that one gets back in the end.
      #
      # @param factors [Array<Integer>] one factor for each column, with fewer than 32 bits
      # @param zero [Integer] the number that represents 0 in the columns
      # @param start [Integer] the number with which each sum begins
      # @return [Array<Integer>] for each row `start` and the sum of its products; each must have at most 32 bits
      def sums(factors, zero, start)
        total = everywhere(start) - (everywhere(zero) * factors.sum) # whole numbers
        factors.each_with_index { |factor, index| total += @columns[index] * factor unless factor.zero? }
        IntegerLanes.numbers(total, @size)
      end

      protected

      attr_reader :columns

      private

      def everywhere(number)
        IntegerLanes.integer([number].pack("V") * @size)
      end
    end
  end
end
