# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Stores
    module Sqlite
      # Places and texts as the rows of an index file hold them: in fewer bytes (SQL-1).
      #
      # A place is written as two numbers: the difference of its document's number from that of the place before it, and
      # its position, or the difference of the positions where the document is the same. The first place counts from
      # document 0 and has its position. Numbers are in groups of seven bits, the highest first; all bytes of a number
      # but its last have the highest bit set. Texts are compressed by zlib.
      module SqlitePacking
        LOW = (1 << Tables::Blobs::NUMBER_BITS) - 1
        # The largest number of a document.
        LARGEST = LOW >> 1
        LASTS = "\x00-\x7F".b.freeze
        LEVEL = 6
        # Stands for the number of a document where there is none.
        NOWHERE = -1
        private_constant :LOW, :LARGEST, :LASTS, :LEVEL

        module_function

        # @param places [String] places, ascending
        # @return [String] the same in fewer bytes
        def pack_places(places)
          packed_after([NOWHERE], [Tables::Blobs.unpack(places)])[0]
        end

        # @param lasts [Array<Integer>] of each term the number of the last document that contains it, or {NOWHERE}
        # @param added [Array<Array<Integer>>] of each term places, ascending, in documents with higher numbers
        # @return [Array<String>] the places as they are written behind those that the terms have
        def packed_after(lasts, added)
          lasts.zip(added).map do |last, places|
            number = last.negative? ? 0 : last
            position = 0
            values = []
            places.each_with_index do |place, index|
              step = (place >> Tables::Blobs::NUMBER_BITS) - number
              position = 0 if index.zero? || step.positive?
              number += step
              values << step << ((place & LOW) - position)
              position = place & LOW
            end
            values.pack("w*")
          end
        end

        # @param packed [Array<String>]
        # @return [Array<Integer>] the number of the last document in each of some blobs, or {NOWHERE} for an empty one
        # @raise [ArgumentError] {pack_places} has made nothing like one of them
        def last_numbers(packed)
          packed.map do |blob|
            next NOWHERE if blob.empty?

            values = blob.unpack("w*")
            raise ::ArgumentError, "a place is two numbers" unless blob.getbyte(-1) < 128 && values.size.even?

            number = 0
            place = 0
            while place < values.size
              number += values[place]
              place += 2
            end
            raise ::ArgumentError, "a number is too large" if number > LARGEST

            number
          end
        end

        # @param packed [String]
        # @return [String] what {pack_places} was given
        # @raise [ArgumentError] it has made nothing like this
        def unpack_places(packed)
          values = packed.unpack("w*")
          unless packed.empty? || (packed.getbyte(-1) < 128 && values.size.even?)
            raise ::ArgumentError, "a place is two numbers"
          end

          number = 0
          position = 0
          places = values.each_slice(2).map do |step, added|
            position = 0 if step.positive?
            number += step
            position += added
            raise ::ArgumentError, "a number or a position is too large" if number > LARGEST || position > LOW

            (number << Tables::Blobs::NUMBER_BITS) | position
          end
          Tables::Blobs.pack(places)
        end

        # @param packed [String]
        # @return [Integer] the number of places in a blob
        def count_places(packed)
          packed.b.count(LASTS) / 2
        end

        # @param text [String]
        # @return [String] the text in fewer bytes
        def pack_text(text)
          Zlib::Deflate.deflate(text, LEVEL)
        end

        # @param packed [String]
        # @return [String] what {pack_text} was given
        # @raise [ArgumentError] it has made nothing like this
        def unpack_text(packed)
          Zlib::Inflate.inflate(packed).force_encoding(::Encoding::UTF_8)
        rescue Zlib::Error => e
          raise ::ArgumentError, e.message
        end
      end
    end
  end
end
