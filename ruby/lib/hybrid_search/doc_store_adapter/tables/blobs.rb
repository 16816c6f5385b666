# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # Token positions and lengths as little-endian blobs in persistent stores (SQL-1, PG-1).
      #
      # A *place* is the position of a token across documents: the number of its document · 2^32 + its position there.
      module Blobs
        NUMBER_BITS = 32
        PLACE_BYTES = 8
        PLACES_IN_CHUNK = 256
        LENGTHS_IN_BLOCK = 1024
        # The length of a document without the field.
        NO_LENGTH = -1

        module_function

        # @return [Array<Integer>] the places in a blob
        def unpack(places)
          places.unpack("q<*")
        end

        # @return [Integer] the number of the first document in a blob
        def first_number(places)
          places.unpack1("q<") >> NUMBER_BITS
        end

        # @return [String] places as a blob
        def pack(places)
          places.pack("q<*")
        end

        # @param places [String]
        # @param removed [Hash{Integer=>true}] numbers of documents
        # @param added [Array<Integer>] ascending
        # @return [String] a blob of places without those of removed documents, and with added ones
        def merged(places, removed, added)
          if removed.empty? && (places.empty? || added.empty? || places[-PLACE_BYTES..].unpack1("q<") < added[0])
            return places + pack(added)
          end

          kept = unpack(places).reject { |place| removed.key?(place >> NUMBER_BITS) }
          pack((kept + added).sort)
        end

        # @return [Array<String>] places cut between documents into pieces, each about as large as a chunk should be
        def pieces(places)
          found = []
          numbers = unpack(places)
          start = 0
          while start < numbers.size
            finish = start + PLACES_IN_CHUNK
            finish += 1 while finish < numbers.size && same_document?(numbers[finish], numbers[finish - 1])
            found << places.byteslice(start * PLACE_BYTES, (finish - start) * PLACE_BYTES)
            start = finish
          end
          found
        end

        # @return [String] the numbers of tokens of documents as a blob, 32 bits each
        def pack_lengths(lengths)
          lengths.pack("l<*")
        end

        # @return [Array<Integer>] the numbers that were given to {pack_lengths}
        def unpack_lengths(packed)
          packed.unpack("l<*")
        end

        # @return [Boolean] whether 32-bit floats represent every component exactly, including -0.0
        def fits_single?(components)
          components.pack("e*").unpack("e*") == components
        end

        def same_document?(place, other)
          place >> NUMBER_BITS == other >> NUMBER_BITS
        end
        private_class_method :same_document?
      end
    end
  end
end
