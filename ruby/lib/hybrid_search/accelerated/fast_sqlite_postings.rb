# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Accelerated
    # Changes the terms of an index file (SQL-1) as `SqlitePostings` does, but fast: many terms are read at once, and
    # their new places are packed as they are found.
    class FastSqlitePostings < Stores::Sqlite::SqlitePostings
      # The number of terms that one query reads.
      TERMS_AT_ONCE = 200
      KNOWN = "SELECT token, term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token IN (%s)"
      NEW = [nil, 0, 0, "".b.freeze].freeze
      INSERT = "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, ?, ?, ?, ?)"
      UPDATE = "UPDATE terms SET documents = ?, chunks = ?, places = ?, checksum = ? WHERE term = ?"
      NUMBER_BITS = Stores::Tables::Blobs::NUMBER_BITS
      private_constant :TERMS_AT_ONCE, :KNOWN, :NEW, :INSERT, :UPDATE, :NUMBER_BITS

      # (see Stores::Sqlite::SqlitePostings#change)
      def change(field, changes)
        removed = {}
        changes.removed.each { |_, tokens| tokens.each { |token| removed[token] = true } }
        fewer = removed.empty? ? 0 : change_terms(field, changes.terms.select { |token, _| removed[token] })
        frequencies = Hash.new(0)
        known = []
        heads = Hash.new { |found, holding| found[holding] = Zlib.crc32([field, holding, 0].pack("q<3")) }
        added_terms(changes.added).each_part(TERMS_AT_ONCE, removed) do |tokens, added|
          rows = rows(field, tokens)
          lasts, counts = @tables.last_numbers(rows.map { |row| row[3] })
          tokens.each_with_index do |token, index|
            places = added[index]
            term, documents, chunks, packed = rows[index]
            holding = documents + places.documents
            frequencies[documents] -= 1
            frequencies[holding] += 1
            term ||= new_term(field, token) if places.count > 2 * Stores::Tables::Blobs::PLACES_IN_CHUNK
            packed, chunks = behind(term, chunks, packed, places, lasts[index], counts[index])
            head = chunks.zero? ? heads[holding] : Zlib.crc32([field, holding, chunks].pack("q<3"))
            checksum = Zlib.crc32(packed, Zlib.crc32(token, head))
            if term
              known << [holding, chunks, packed, checksum, term]
            else
              @connection.run(INSERT, field, token, holding, chunks, packed, checksum)
            end
          end
        end
        known.sort_by!(&:last)
        @connection.run_many(UPDATE, known)
        count(field, frequencies)
        fewer - frequencies[0]
      end

      private

      # Return the terms of a field; if it has the tokens of the previous field, as for one text, they are reused.
      def added_terms(added)
        @before = [added, AddedTerms.new(added)] if @before.nil? || @before[0] != added
        @before[1]
      end

      # Return the new last places of a term, and the new number of its chunks.
      def behind(term, chunks, packed, places, last, count)
        unless places.first > last
          one = Stores::Tables::TermChange.new
          one.added.concat(Stores::Tables::Blobs.unpack(packing.unpack_places([places.packed(packing::NOWHERE)])))
          return changed(term, chunks, packed, one)
        end
        packed += places.packed(last)
        return [packed, chunks] if count + places.count <= 2 * Stores::Tables::Blobs::PLACES_IN_CHUNK

        *full, (_, rest) = pieces(packed)
        rows = full.map do |first, piece|
          key = (term << NUMBER_BITS) + first
          [key, piece, Stores::Tables::RowChecksum.of([key], piece)]
        end
        @connection.run_many("INSERT INTO postings VALUES (?, ?, ?)", rows)
        [rest, chunks + full.size]
      end

      # Cut packed places between documents as {Stores::Tables::Blobs.pieces} does.
      #
      # @return [Array<Array(Integer, String)>] the pieces, packed, each with the number of its first document
      def pieces(packed)
        values = packed.unpack("w*")
        found = []
        first = number = values[0]
        start = 0
        from = finish = size(first)
        values.each_with_index do |value, place|
          if place.even? && place.positive?
            number += value
            if value.positive? && place - start >= 2 * Stores::Tables::Blobs::PLACES_IN_CHUNK
              found << [first, piece(packed, first, from, finish)]
              first = number
              start = place
              from = finish + size(value)
            end
          end
          finish += size(value) if place.positive?
        end
        found << [first, piece(packed, first, from, finish)]
      end

      def piece(packed, first, from, finish)
        [first].pack("w") << packed.byteslice(from, finish - from)
      end

      # Return the number of bytes of a number in groups of seven bits.
      def size(value)
        value < 128 ? 1 : (value.bit_length + 6) / 7
      end

      def packing
        Stores::Sqlite::SqlitePacking
      end

      # Return the rows of some terms, in the order of their tokens.
      def rows(field, tokens)
        found = {}
        @connection.rows(format(KNOWN, Array.new(tokens.size, "?").join(", ")), field, *tokens).each do |row|
          token, term, documents, chunks, places, checksum = row
          integers = [field, documents, chunks].pack("q<3")
          sound = Zlib.crc32(places, Zlib.crc32(token, Zlib.crc32(integers))) == checksum
          raise @tables.damaged unless sound

          @tables.check_term(term)
          found[token] = [term, documents, chunks, places]
        end
        tokens.map { |token| found.fetch(token, NEW) }
      end
    end
  end
end
