# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The vectors whose distances the server can compute, and the error of these distances (PG-5).
      module PostgresScreen
        MOST_COMPONENTS = 16_000
        SMALLEST_NORM = 1e-9
        LARGEST_NORM = 1e9
        # The number of documents that are requested in addition to the wanted ones.
        MORE = 32
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

        # @return [String, nil] a vector as 32-bit floats in the server's binary format, or nil if it cannot be screened
        def pack(components, norm)
          return nil unless can_screen?(components.size, norm)

          [components.size, 0].pack("S>S>") << components.pack("g*")
        end

        # @return [String] a vector as text, which the server rounds to 32-bit floats
        def text(components)
          "[#{components.join(",")}]"
        end
      end
    end
  end
end
