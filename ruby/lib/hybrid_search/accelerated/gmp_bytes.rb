# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # {IntegerBytes} as plain bytes, with the functions of {Gmp}: the same interface and the same sums. Never changed.
    class GmpBytes
      include Base::ShortInspect

      PARTS = IntegerBytes::PARTS

      # @param bytes [String] a byte of each row, as many as there are rows
      # @return [Array<Fiddle::Pointer>] for each part a pointer to its first byte; a limb follows behind the last one
      def self.column(bytes)
        first = Gmp.pointer(bytes + ("\0".b * Gmp::BYTES_IN_LIMB))
        [first, *(1...PARTS).map { |part| first + part }] # the first one keeps the bytes
      end

      # @param size [Integer] the number of rows; a multiple of 64
      def initialize(size)
        @size = size
        @lowest = [(1 << 8) - 1].pack("V") * (size / PARTS)
      end

      # @param columns [Array<Array<Fiddle::Pointer>>] of {GmpBytes.column}
      # @param factors [Array<Integer>] see {IntegerBytes#sums}
      # @param start [Integer]
      # @return [Array<Integer>]
      def sums(columns, factors, start)
        total = [start].pack("V") * @size
        limbs = @size / Gmp::BYTES_IN_LIMB
        spread = "\0".b * total.bytesize
        first = Gmp.pointer(spread)
        targets = Array.new(PARTS) { |part| first + (part * @size) }
        lowest = Gmp.pointer(@lowest)
        columns.each_with_index do |column, index|
          PARTS.times { |part| Gmp.and(targets[part], limbs, column[part], lowest) }
          Gmp.add_products(total, limbs * PARTS, [first], [factors[index]])
        end
        lanes = total.unpack("V*").each_slice(@size / PARTS).to_a
        lanes[0].zip(*lanes[1..]).flatten
      end
    end
  end
end
