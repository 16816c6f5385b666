# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Many rows of bytes, column by column: one large Integer contains a byte of every row. It is divided into {PARTS}
    # others with a lane of {IntegerLanes::BITS} bits for each row, so that one multiplication and one addition serve a
    # quarter of the rows. Immutable.
    #
    # {GmpBytes} has the same interface and returns the same sums without an Integer for each step.
    class IntegerBytes
      include Base::ShortInspect

      PARTS = IntegerLanes::BITS / 8

      # @param size [Integer] the number of rows; a multiple of 64
      # @param spread [Boolean] whether columns are divided when they are made, and take {PARTS} more bytes a row;
      #   otherwise they are divided whenever products are added up
      def initialize(size, spread)
        @size = size
        @is_spread = spread
        @lowest = IntegerLanes.integer([(1 << 8) - 1].pack("V") * (size / PARTS))
      end

      # @param bytes [String] a byte of each row, as many as there are rows
      # @return [Integer, Array<Integer>] a column of these bytes
      def column(bytes)
        narrow = IntegerLanes.integer(bytes)
        @is_spread ? spread(narrow) : narrow
      end

      # Add up products. Numbers of lanes may leave their lanes while they are added, see {IntegerLanes#sums}.
      #
      # @param columns [Array<Integer, Array<Integer>>] results of {#column}
      # @param factors [Array<Integer>] one factor for each column, with fewer than 32 bits
      # @param start [Integer] the number with which each sum begins
      # @return [Array<Integer>] for each row `start` and the sum of its products; each must have at most 32 bits. Every
      #   {PARTS}th row from the first one comes first, then every one from the second, and so on
      def sums(columns, factors, start)
        totals = Array.new(PARTS) { IntegerLanes.integer([start].pack("V") * (@size / PARTS)) }
        columns.each_with_index do |column, index|
          lanes = @is_spread ? column : spread(column)
          PARTS.times { |part| totals[part] += lanes[part] * factors[index] }
        end
        totals.flat_map { |total| IntegerLanes.numbers(total, @size / PARTS) }
      end

      private

      def spread(narrow)
        Array.new(PARTS) { |part| (narrow >> (8 * part)) & @lowest }
      end
    end
  end
end
