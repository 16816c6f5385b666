# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Stores
    module Tables
      # The checksum of a row of an index file: the CRC-32 of its integers and then of its blobs (SQL-4).
      module RowChecksum
        module_function

        # @param integers [Array<Integer>] the row's integers, each as 64 bits in little-endian order
        # @param contents [Array<String>] its blobs
        # @return [Integer] the checksum of a row
        # @raise [TypeError] a value has another type
        def of(integers, *contents)
          raise ::TypeError, "neither an integer nor a blob" unless integers.all?(::Integer) && contents.all?(::String)

          contents.inject(Zlib.crc32(integers.pack("q<*"))) { |checksum, content| Zlib.crc32(content, checksum) }
        end
      end
    end
  end
end
