# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # The vectors whose distances a database can compute, and the error of these distances (PG-5, OB-2).
      module VectorScreen
        MOST_COMPONENTS = 16_000
        SMALLEST_NORM = 1e-9
        LARGEST_NORM = 1e9
        # Half the distance from 1 to the next 32-bit float.
        HALF_STEP = Math.ldexp(1.0, -24)
        private_constant :HALF_STEP

        module_function

        # @return [Boolean] whether the server can compute the distances of a vector
        def can_screen?(dimension, norm)
          dimension <= MOST_COMPONENTS && norm.between?(SMALLEST_NORM, LARGEST_NORM)
        end

        # @return [Float] the maximum error of a cosine that the server computes
        def margin(dimension)
          ((2 * dimension) + 16) * HALF_STEP
        end
      end
    end
  end
end
