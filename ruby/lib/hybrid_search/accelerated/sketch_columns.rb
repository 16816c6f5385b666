# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The products of a query with the sketches of many vectors, as whole numbers.
    #
    # A column is one component of all sketches, with a byte for each. Columns that are zero in the query are skipped.
    # Immutable, except for its caches.
    class SketchColumns
      include Base::ShortInspect

      MIDDLE = 1 << (IntegerLanes::BITS - 1)
      # The number that is added to a step, which is at least -128, so that it is not negative.
      OFFSET = 128
      # Bytes in two's complement, and the same steps as numbers from 0 on.
      FROM_ZERO = ["\x80-\xFF\x00-\x7F".b, "\x00-\x7F\x80-\xFF".b].freeze
      private_constant :FROM_ZERO
      # The maximum sum of the sizes of all factors: times a step, it stays within a lane.
      MOST_FACTORS = MIDDLE / 256

      # @param steps [Array<String>] the steps of blocks of sketches, each one component after the other
      # @param size [Integer] the number of sketches in a block; a multiple of 64
      # @param spread [Boolean] see {IntegerBytes#initialize}
      # @param form [Class] the form of columns, {GmpBytes} or {IntegerBytes}; both return the same products
      def initialize(steps, size, spread, form = Gmp.usable? ? GmpBytes : IntegerBytes)
        @steps = steps
        @size = size
        @bytes = form.new(steps.size * size, spread)
        @columns = {}
      end

      # @param sketch [Integer] the place of a sketch
      # @return [Integer] the place of its product
      def place(sketch)
        part_size = @steps.size * @size / IntegerBytes::PARTS
        (sketch % IntegerBytes::PARTS * part_size) + (sketch / IntegerBytes::PARTS)
      end

      # @param unit [Array<Float>] a vector of about the length 1
      # @return [Array(Array<Float>, Float)] the products of sketches with a vector, in the order of {#place}, and an
      #   upper bound of the distance between that vector and `unit`
      def products(unit)
        scale = [MOST_FACTORS - unit.size, 0].max / Base::Numeric.sum_left(unit.map(&:abs))
        return [Array.new(@steps.size * @size, 0.0), Base::Numeric.norm(unit)] if scale.zero?

        factors = unit.map { |component| ((component * scale) + 0.5).floor }
        missed = Base::Numeric.norm(unit.zip(factors).map { |component, factor| component - (factor / scale) })
        correction = MIDDLE + (OFFSET * factors.sum)
        [sums(factors).map { |sum| (sum - correction) / scale }, missed]
      end

      private

      # Return for each sketch the sum of its steps, from 0 on, times the factors; sums begin at {MIDDLE}.
      def sums(factors)
        used = factors.each_index.reject { |index| factors[index].zero? }
        @bytes.sums(used.map { |index| column(index) }, used.map { |index| factors[index] }, MIDDLE)
      end

      def column(index)
        @columns[index] ||= @bytes.column(
          @steps.map { |block| block.byteslice(index * @size, @size) }.join.tr(*FROM_ZERO)
        )
      end
    end
  end
end
