# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Vectors as text that preserves every bit, and that an engine sends without parsing it as numbers (OS-10).
      module OpenSearchVectors
        module_function

        # @param vector [Array<Float>]
        # @return [String] a vector in base64, see {binary}
        def pack(vector)
          [binary(vector)].pack("m0")
        end

        # @param text [String] an output of {pack}
        # @param dimension [Integer] the number of components
        # @return [Array<Float>] the vector of a text
        # @raise [ArgumentError] the text is not an output of {pack}
        def unpack(text, dimension)
          numbers(text.unpack1("m0"), dimension)
        end

        # @param vector [Array<Float>]
        # @return [String] a vector as floats of 32 bits if these are exact, otherwise of 64 bits; the lowest byte first
        def binary(vector)
          short = vector.pack("e*")
          short.unpack("e*") == vector ? short : vector.pack("E*")
        end

        # @param packed [String] an output of {binary}
        # @param dimension [Integer] the number of components
        # @return [Array<Float>] the vector
        # @raise [ArgumentError] it has another dimension
        def numbers(packed, dimension)
          kind = { 4 * dimension => "e*", 8 * dimension => "E*" }[packed.bytesize]
          raise ArgumentError, packed.bytesize.to_s unless kind

          packed.unpack(kind).freeze
        end
      end
    end
  end
end
