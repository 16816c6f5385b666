# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # {IntegerBytes} as plain bytes, with the functions of {Gmp}: the same interface and the same sums. Immutable.
    class GmpBytes
      include Base::ShortInspect

      PARTS = IntegerBytes::PARTS

      # @param size [Integer] the number of rows; a multiple of 64
      # @param spread [Boolean] see {IntegerBytes#initialize}
      def initialize(size, spread)
        @size = size
        @is_spread = spread
        @lowest = Gmp.pointer([(1 << 8) - 1].pack("V") * (size / PARTS))
      end

      # @param bytes [String] a byte of each row, as many as there are rows
      # @return [Fiddle::Pointer] a pointer to them as a column: if not spread, a limb follows after the last byte
      def column(bytes)
        narrow = Gmp.pointer(bytes + ("\0".b * Gmp::BYTES_IN_LIMB))
        return narrow unless @is_spread

        wide = Gmp.pointer("\0".b * (PARTS * @size))
        spread(narrow, wide)
        wide
      end

      # @param columns [Array<Fiddle::Pointer>] results of {#column}
      # @param factors [Array<Integer>] see {IntegerBytes#sums}
      # @param start [Integer]
      # @return [Array<Integer>]
      def sums(columns, factors, start)
        total = [start].pack("V") * @size
        to = Gmp.pointer(total)
        limbs = total.bytesize / Gmp::BYTES_IN_LIMB
        if @is_spread
          Gmp.add_products(to.to_i, limbs, columns.map(&:to_i), factors)
        else
          wide = Gmp.pointer("\0".b * total.bytesize)
          columns.each_with_index do |column, index|
            spread(column, wide)
            Gmp.add_products(to.to_i, limbs, [wide.to_i], [factors[index]])
          end
        end
        total.unpack("V*")
      end

      private

      def spread(narrow, wide)
        limbs = @size / Gmp::BYTES_IN_LIMB
        PARTS.times { |part| Gmp.and(wide.to_i + (part * @size), limbs, narrow.to_i + part, @lowest.to_i) }
      end
    end
  end
end
