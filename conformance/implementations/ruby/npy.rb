# frozen_string_literal: true

module Conformance
  # Reads the one kind of NumPy file the collections use: two-dimensional little-endian float32 in row order.
  module Npy
    MAGIC = "\x93NUMPY".b.freeze
    HEADER = /'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\)/

    module_function

    # @param path [String]
    # @return [Array<Array<Float>>] the rows
    def read(path)
      content = File.binread(path)
      raise ArgumentError, "#{path} is no .npy file" unless content.start_with?(MAGIC)

      wide = content.getbyte(6) > 1
      length = content.unpack1(wide ? "L<" : "S<", offset: 8)
      start = (wide ? 12 : 10) + length
      match = HEADER.match(content[start - length, length])
      raise ArgumentError, "#{path} is no float32 matrix" unless match

      rows = Integer(match[1], 10)
      columns = Integer(match[2], 10)
      values = content.unpack("e#{rows * columns}", offset: start)
      raise ArgumentError, "#{path} is cut short" if values.last(1).include?(nil)

      columns.zero? ? Array.new(rows) { [] } : values.each_slice(columns).to_a
    end
  end
end
