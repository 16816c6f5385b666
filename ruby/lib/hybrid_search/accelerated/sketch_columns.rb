# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The products of a query with the sketches of many vectors, as whole numbers.
    #
    # One large Integer contains one component of all sketches, with a byte for each. It is divided into {PARTS} others
    # with {LANE} bits for each sketch, so that one multiplication and one addition serve a quarter of the vectors. The
    # lanes are signed: a negative lane borrows from the next one, which gets this back in the end. Components that are
    # zero in the query are skipped. Never changed, except for its caches.
    class SketchColumns
      include Base::ShortInspect

      LANE = 32
      PARTS = LANE / 8
      MIDDLE = 1 << (LANE - 1)
      # The steps of a sketch are from -128 on.
      OFFSET = 128
      # The sum of the sizes of all factors: times a step, it stays within a lane.
      MOST_FACTORS = MIDDLE / 256

      # @param steps [Array<String>] the steps of blocks of sketches, each one component after the other
      # @param dimension [Integer] the number of components of a vector
      # @param size [Integer] the number of sketches in a block; a multiple of {PARTS}
      def initialize(steps, dimension, size)
        @steps = steps
        @dimension = dimension
        @size = size
        @count = steps.size * size
        @offset = integer(OFFSET.chr.b * @count)
        @lowest = integer([(1 << 8) - 1].pack("V") * (@count / PARTS))
        @columns = {}
      end

      # @param unit [Array<Float>] a vector of about the length 1
      # @return [Array(Array<Float>, Float)] the product of each sketch with a vector, and an upper bound of the
      #   distance between that vector and `unit`
      def products(unit)
        scale = [MOST_FACTORS - unit.size, 0].max / Base::Numeric.sum_left(unit.map(&:abs))
        factors = unit.map { |component| ((component * scale) + 0.5).floor }
        near = factors.map { |factor| scale.zero? ? 0.0 : factor / scale }
        missed = Base::Numeric.norm(unit.zip(near).map { |component, other| component - other })
        correction = MIDDLE + (OFFSET * factors.sum)
        [sums(factors).map { |sum| scale.zero? ? 0.0 : (sum - correction) / scale }, missed]
      end

      private

      # Of each sketch, the sum of its steps, from 0 on, times the factors, from {MIDDLE} on.
      def sums(factors)
        totals = Array.new(PARTS) { integer([MIDDLE].pack("V") * (@count / PARTS)) }
        factors.each_with_index do |factor, index|
          next if factor.zero?

          column = column(index)
          PARTS.times { |part| totals[part] += ((column >> (8 * part)) & @lowest) * factor }
        end
        lanes = totals.map { |total| lanes(total) }
        lanes[0].zip(*lanes[1..]).flatten
      end

      def column(index)
        @columns[index] ||= begin
          bytes = @steps.map { |block| block.byteslice(index * @size, @size) }.join
          integer(bytes) ^ @offset
        end
      end

      # The Integer whose bytes are given, the lowest first: Ruby's own form of it has them just so, behind their number
      # by twos. To read hexadecimal digits would take six times as long.
      def integer(bytes)
        Marshal.load("\x04\bl+\x04".b << [bytes.bytesize / 2].pack("V") << bytes) # rubocop:disable Security/MarshalLoad
      end

      def lanes(total)
        [total.to_s(16).rjust(@count / PARTS * LANE / 4, "0")].pack("H*").unpack("N*").reverse
      end
    end
  end
end
