# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Many rows of bytes, column by column: one large Integer contains a byte of every row. It is divided into {PARTS}
    # others with a lane of {IntegerLanes::BITS} bits for each row, so that one multiplication and one addition serve a
    # quarter of the rows. Never changed.
    #
    # {GmpBytes} has the same interface and gives the same sums without an Integer for each step.
    class IntegerBytes
      include Base::ShortInspect

      PARTS = IntegerLanes::BITS / 8

      # @param bytes [String] a byte of each row, as many as there are rows
      # @return [Integer] them, as a column
      def self.column(bytes)
        IntegerLanes.integer(bytes)
      end

      # @param size [Integer] the number of rows; a multiple of 64
      def initialize(size)
        @size = size
        @lowest = IntegerLanes.integer([(1 << 8) - 1].pack("V") * (size / PARTS))
      end

      # Add up products. Numbers of lanes may leave their lanes while they are added, see {IntegerLanes#sums}.
      #
      # @param columns [Array<Integer>] of {IntegerBytes.column}
      # @param factors [Array<Integer>] one of each column, with fewer than 32 bits
      # @param start [Integer] what each sum begins with
      # @return [Array<Integer>] for each row `start` and the sum of its products; each must have at most 32 bits
      def sums(columns, factors, start)
        totals = Array.new(PARTS) { IntegerLanes.integer([start].pack("V") * (@size / PARTS)) }
        columns.each_with_index do |column, index|
          PARTS.times { |part| totals[part] += ((column >> (8 * part)) & @lowest) * factors[index] }
        end
        lanes = totals.map { |total| IntegerLanes.numbers(total, @size / PARTS) }
        lanes[0].zip(*lanes[1..]).flatten
      end
    end
  end
end
