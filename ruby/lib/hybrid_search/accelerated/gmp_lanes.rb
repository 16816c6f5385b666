# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # {IntegerLanes} as plain bytes, with the functions of {Gmp}: the same interface and the same sums. Immutable.
    class GmpLanes
      include Base::ShortInspect

      # The maximum number of rows of a block. Each column of a block costs a call, so blocks are larger than those of
      # Integers.
      LARGEST_BLOCK = 32_768

      # @param columns [Array<String>] see {IntegerLanes.of}
      # @param size [Integer] the number of rows; even
      # @return [GmpLanes]
      def self.of(columns, size)
        new(columns, size)
      end

      # @return [Integer] the number of rows
      attr_reader :size

      # @param columns [Array<String>]
      # @param size [Integer] the number of rows
      def initialize(columns, size)
        @columns = columns
        @pointers = columns.map { |column| Gmp.pointer(column) }
        @addresses = @pointers.map(&:to_i)
        @size = size
      end

      # @param other [GmpLanes] a block with the same number of columns
      # @return [GmpLanes] a block with the rows of the other one after those of this one
      def joined(other)
        GmpLanes.new(@columns.zip(other.columns).map { |column, behind| column + behind }, @size + other.size)
      end

      # @param factors [Array<Integer>] see {IntegerLanes#sums}
      # @param zero [Integer]
      # @param start [Integer]
      # @return [Array<Integer>]
      def sums(factors, zero, start)
        total = everywhere(start)
        zeros = everywhere(zero)
        limbs = total.bytesize / Gmp::BYTES_IN_LIMB
        to = Gmp.pointer(total)
        from = Gmp.pointer(zeros)
        Gmp.add_products(to.to_i, limbs, [from.to_i], [-factors.sum]) # whole numbers
        Gmp.add_products(to.to_i, limbs, @addresses, factors)
        total.unpack("V*")
      end

      protected

      attr_reader :columns

      private

      def everywhere(number)
        [number].pack("V") * @size
      end
    end
  end
end
