# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # A vector with one byte per component, and a bound on the resulting error (SQL-5, DOC-3).
      #
      # A sketch approximates the cosine of a vector v with a query q. Only vectors that can be among the best are then
      # read and compared exactly. Let s be the steps (whole numbers), t the length of a step, and e at least the length
      # of v - t·s:
      #
      # - v·q = t·(s·q) + (v - t·s)·q. The cosine therefore differs from the *estimate* t·(s·q) / (|v|·|q|) by at most e
      #   / |v| (Cauchy–Schwarz). `ratio` is t / |v|, and `error` is e / |v|.
      # - If p replaces q, the estimate changes by at most |t·s|·|q - p| / (|v|·|q|), and |t·s| / |v| is at most 1 +
      #   error.
      # - `error` and {slack} also cover rounding. {of} computes e with a relative error of at most (dimension +
      #   4)·2^-53, and t·s with one of at most 2^-53. A sum of n products in floats with a relative error u is wrong by
      #   at most 1.01·n·u times the product of the lengths; so is the sum in the exact cosine.
      #
      # A cosine is therefore always within estimate ± (error + (1 + error)·slack), with the slack of the method that
      # computed the estimate.
      class VectorSketch
        include Base::Value

        MOST_STEPS = 127
        # No value in the sketch of a vector with a length in this range underflows or overflows.
        SMALLEST = 1e-30
        LARGEST = 1e30
        # The error that marks a document without a vector.
        ABSENT = -1.0
        WIDER = 1.000001
        WIDER_BY = 1e-12

        # @return [Float] the length of a step divided by that of the vector
        attr_reader :ratio
        # @return [Float] an upper bound of the length of the difference between steps and vector, divided by the length
        #   of the vector; infinite if the sketch has no information
        attr_reader :error
        # @return [String] a signed byte for each component
        attr_reader :steps

        def initialize(ratio, error, steps)
          @ratio = ratio
          @error = error
          @steps = steps
          freeze
        end

        # @param vector [Array<Float>] at least one component
        # @param norm [Float] its length
        # @return [VectorSketch] its sketch
        def self.of(vector, norm)
          return new(0.0, Float::INFINITY, "\0".b * vector.size) unless sound?(norm)

          length = [vector.max, -vector.min].max / MOST_STEPS
          steps = vector.map { |component| ((component / length) + 0.5).floor }
          missed = Base::Numeric.norm(vector.map.with_index { |component, place| component - (length * steps[place]) })
          new(length / norm, (missed / norm * WIDER) + WIDER_BY, steps.pack("c*"))
        end

        # @param norm [Float]
        # @return [Boolean] whether a vector of this length can have an informative sketch, or be the query of one
        def self.sound?(norm)
          norm > SMALLEST && norm < LARGEST
        end

        # @param dimension [Integer] the number of components
        # @param roundoff [Float] the relative error of one float
        # @return [Float] the error that sums of products add to an estimate
        def self.slack(dimension, roundoff)
          4.0 * (dimension + 8) * roundoff
        end
      end
    end
  end
end
