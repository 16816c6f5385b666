# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # A vector in a byte a component, with a bound for what that loses (SQL-5, DOC-3).
      #
      # A sketch says about what the cosine of a vector v with a query q is; only vectors that may be among the best are
      # then read and compared exactly. With whole steps s of the length t, and e at least the length of v - t·s:
      #
      # - v·q = t·(s·q) + (v - t·s)·q, so the cosine is t·(s·q) / (|v|·|q|), the *estimate*, but for at most e / |v|
      #   (Cauchy and Schwarz). `ratio` is t / |v|, `error` e / |v|.
      # - If q itself is replaced by p, the estimate changes by |t·s|·|q - p| / (|v|·|q|) at the most, and |t·s| / |v|
      #   is at most 1 + error.
      # - Floats add what `error` and {slack} have room for: {of} computes e with a relative error of at most
      #   (dimension + 4)·2^-53, and t·s with one of 2^-53; sums of n products in floats of a relative error u each are
      #   wrong by at most 1.01·n·u times the product of the lengths, the exact cosine's own sum likewise.
      #
      # So a cosine is never outside of estimate ± (error + (1 + error)·slack), with the slack of how the estimate was
      # made.
      class VectorSketch
        include Base::Value

        MOST_STEPS = 127
        # Between these lengths nothing in a sketch underflows or overflows.
        SMALLEST = 1e-30
        LARGEST = 1e30
        # The error in the place of a document without a vector.
        ABSENT = -1.0
        WIDER = 1.000001
        WIDER_BY = 1e-12

        # @return [Float] the length of a step, as a share of the vector's
        attr_reader :ratio
        # @return [Float] the length of what the steps miss, likewise, never too low; infinite where they say nothing
        attr_reader :error
        # @return [String] a signed byte for each component
        attr_reader :steps

        def initialize(ratio, error, steps)
          @ratio = ratio
          @error = error
          @steps = steps
          freeze
        end

        # @param vector [Array<Float>] one component at least
        # @param norm [Float] its length
        # @return [VectorSketch] its sketch
        def self.of(vector, norm)
          return new(0.0, Float::INFINITY, "\0".b * vector.size) unless sound?(norm)

          length = [vector.max, -vector.min].max / MOST_STEPS
          steps = vector.map { |component| ((component / length) + 0.5).floor }
          missed = Base::Numeric.norm(vector.zip(steps).map { |component, step| component - (length * step) })
          new(length / norm, (missed / norm * WIDER) + WIDER_BY, steps.pack("c*"))
        end

        # @param norm [Float]
        # @return [Boolean] whether a vector of this length has a sketch that says something, and a query of it can be
        #   compared with one
        def self.sound?(norm)
          norm > SMALLEST && norm < LARGEST
        end

        # @param dimension [Integer]
        # @param roundoff [Float] the relative error of one float
        # @return [Float] what sums of products in such floats add to the error of an estimate
        def self.slack(dimension, roundoff)
          4.0 * (dimension + 8) * roundoff
        end
      end
    end
  end
end
