# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The left-to-right dot products of vectors of equal length (NUM-2), sixteen components at once: two thirds of the
    # work of an index each.
    module RowDots
      module_function

      # @param rows [Array<Array<Float>>]
      # @param vector [Array<Float>]
      # @return [Array<Float>] {Numeric.dot} of every row and the vector
      def dots(rows, vector)
        rows.map { |row| dot(row, vector) }
      end

      # @param left [Array<Float>]
      # @param right [Array<Float>] of the same length
      # @return [Float] as {Numeric.dot} gives it
      def dot(left, right)
        size = left.size
        total = 0.0
        index = 0
        while index <= size - 16
          a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p = left[index, 16]
          aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk, ll, mm, nn, oo, pp = right[index, 16]
          total = total + (a * aa) + (b * bb) + (c * cc) + (d * dd) + (e * ee) + (f * ff) + (g * gg) + (h * hh) +
                  (i * ii) + (j * jj) + (k * kk) + (l * ll) + (m * mm) + (n * nn) + (o * oo) + (p * pp)
          index += 16
        end
        while index < size
          total += left[index] * right[index]
          index += 1
        end
        total
      end

      # @param vector [Array<Float>]
      # @return [Float] as {Numeric.norm} gives it
      def norm(vector)
        Math.sqrt(dot(vector, vector))
      end
    end
  end
end
