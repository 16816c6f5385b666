# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Which vectors the server can tell distances of, and how far those may be wrong (PG-5).
      module PostgresScreen
        MOST_COMPONENTS = 16_000
        SMALLEST_NORM = 1e-9
        LARGEST_NORM = 1e9
        # How many documents are asked for beyond those that are wanted.
        MORE = 32
        # Half the distance from 1 to the next float of 32 bits.
        HALF_STEP = Math.ldexp(1.0, -24)
        private_constant :HALF_STEP

        module_function

        # @return [Boolean] whether the server can tell the distances of a vector
        def can_screen?(dimension, norm)
          dimension <= MOST_COMPONENTS && norm.between?(SMALLEST_NORM, LARGEST_NORM)
        end

        # @return [Float] how far a cosine by the server may be from the one that counts
        def margin(dimension)
          ((2 * dimension) + 16) * HALF_STEP
        end

        # @return [String, nil] a vector as the server takes it, rounded to floats of 32 bits; nil where it cannot be
        #   screened
        def pack(components, norm)
          return nil unless can_screen?(components.size, norm)

          [components.size, 0].pack("S>S>") << components.pack("g*")
        end

        # @return [String] a vector as text that the server rounds to floats of 32 bits
        def text(components)
          "[#{components.join(",")}]"
        end
      end
    end
  end
end
