# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Stores
    module Sqlite
      # Packs places and texts into fewer bytes, as the rows of an index file contain them (SQL-1).
      #
      # A place is written as two numbers: the difference of its document's number from that of the previous place; and
      # its position, or the difference of the positions if the document is the same. The first place counts from
      # document 0 and has its position. Numbers are in groups of seven bits, the highest first; all bytes of a number
      # except its last have the highest bit set. Texts are compressed by zlib.
      module SqlitePacking
        LOW = (1 << Tables::Blobs::NUMBER_BITS) - 1
        # The largest number of a document.
        LARGEST = LOW >> 1
        LASTS = "\x00-\x7F".b.freeze
        LEVEL = 6
        # The number that replaces a document's number if there is no document.
        NOWHERE = -1
        private_constant :LOW, :LARGEST, :LASTS, :LEVEL

        module_function

        # @param places [String] places, ascending
        # @return [String] the same places in fewer bytes
        def pack_places(places)
          number = 0
          position = 0
          values = Tables::Blobs.unpack(places).flat_map do |place|
            step = (place >> Tables::Blobs::NUMBER_BITS) - number
            added = (place & LOW) - (step.zero? ? position : 0)
            number += step
            position = place & LOW
            [step, added]
          end
          values.pack("w*")
        end

        # @param packed [Array<String>]
        # @return [Array(Array<Integer>, Array<Integer>)] the number of the last document in each of some blobs, or
        #   {NOWHERE}; and the number of its places
        # @raise [ArgumentError] one of them is not a result of {pack_places}
        def last_numbers(packed)
          counts = []
          lasts = packed.map do |blob|
            values = blob.unpack("w*")
            counts << (values.size / 2)
            next NOWHERE if values.empty?
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
          [lasts, counts]
        end

        # @param packed [Array<String>]
        # @return [String] the places in some blobs, one blob after the other
        # @raise [ArgumentError] one of them is not a result of {pack_places}
        def unpack_places(packed)
          Tables::Blobs.pack(packed.flat_map { |blob| places_in(blob) })
        end

        # @param packed [String]
        # @return [Array<Integer>] the places that were packed by {pack_places}
        # @raise [ArgumentError] the text is not a result of {pack_places}
        def places_in(packed)
          values = packed.unpack("w*")
          unless packed.empty? || (packed.getbyte(-1) < 128 && values.size.even?)
            raise ::ArgumentError, "a place is two numbers"
          end

          number = 0
          position = 0
          values.each_slice(2).map do |step, added|
            position = 0 if step.positive?
            number += step
            position += added
            raise ::ArgumentError, "a number or a position is too large" if number > LARGEST || position > LOW

            (number << Tables::Blobs::NUMBER_BITS) | position
          end
        end
        private_class_method :places_in

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
        # @return [String] the text that was packed by {pack_text}
        # @raise [ArgumentError] the text is not a result of {pack_text}
        def unpack_text(packed)
          Zlib::Inflate.inflate(packed).force_encoding(::Encoding::UTF_8)
        rescue Zlib::Error => e
          raise ::ArgumentError, e.message
        end
      end
    end
  end
end
