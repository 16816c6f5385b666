# frozen_string_literal: true

module HybridSearch
  module Convergence
    # The vectors of the blocks of an index, row by row (CNV-7); stored as bytes, 32 bits a component if that is exact,
    # else 64.
    class VectorRows
      include Base::ShortInspect

      SINGLE = "e*"
      DOUBLE = "E*"
      BYTES = { SINGLE => 4, DOUBLE => 8 }.freeze
      private_constant :BYTES

      # @param vectors [Array<Array<Float>>] the vector of each block, finite
      # @param dimension [Integer] the number of components of a vector
      # @return [VectorRows]
      def self.of(vectors, dimension)
        singles = vectors.map { |vector| vector.pack(SINGLE) }
        exact = vectors.each_index.all? { |index| singles[index].unpack(SINGLE) == vectors[index] }
        return new(singles.join, dimension, SINGLE) if exact

        new(vectors.map { |vector| vector.pack(DOUBLE) }.join, dimension, DOUBLE)
      end

      # @param content [String] the contents of a file of little-endian float32
      # @param dimension [Integer]
      # @return [VectorRows]
      def self.of_bytes(content, dimension)
        new(content, dimension, SINGLE)
      end

      # @return [Integer] the number of components of a row
      attr_reader :dimension
      # @return [Integer] the number of rows
      attr_reader :size

      # @param bytes [String]
      # @param dimension [Integer]
      # @param format [String] the format of a component, for `unpack`
      def initialize(bytes, dimension, format)
        @bytes = bytes.b.freeze
        @dimension = dimension
        @format = format
        @length = dimension * BYTES.fetch(format)
        @size = @length.zero? ? 0 : @bytes.bytesize / @length
        freeze
      end

      # @param index [Integer]
      # @return [Array<Float>] the components of one row
      def row(index)
        @bytes.byteslice(index * @length, @length).unpack(@format)
      end

      # @return [String] all rows as little-endian float32
      def to_bytes
        return @bytes if @format == SINGLE

        (0...@size).map { |index| row(index).pack(SINGLE) }.join
      end

      # @return [Boolean] whether every component is finite
      def finite?
        (0...@size).all? { |index| row(index).all?(&:finite?) }
      end

      private

      def inspected
        { size: @size, dimension: @dimension }
      end
    end
  end
end
