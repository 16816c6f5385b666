# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Storing
    # What happens to a term.
    class TermChange
      include ShortInspect

      # @return [Hash{Integer=>true}] the numbers of documents whose places go
      attr_reader :removed
      # @return [Array<Integer>] new places, ascending
      attr_reader :added
      # @return [Integer] how many documents more, or fewer, hold it
      attr_accessor :documents

      def initialize
        @removed = {}
        @added = []
        @documents = 0
      end
    end

    # Changes the terms of an index file and where they stand (SQL-1), in a transaction.
    #
    # The last places of a term are in its own row; where they become many, the first of them go to a chunk. The places
    # of a document are never in two of these.
    class SqlitePostings
      include ShortInspect

      PLACE_BYTES = 8
      NUMBER_BITS = SqliteSchema::NUMBER_BITS
      HIGHEST = (1 << NUMBER_BITS) - 1
      WITHIN = "SELECT chunk, places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk"

      class << self
        # @return [Array<Integer>] the places that are in a blob
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

        # @return [String] places without those of some documents, and with others
        def merged(places, removed, added)
          if removed.empty? && (places.empty? || added.empty? || places[-PLACE_BYTES..].unpack1("q<") < added[0])
            return places + pack(added)
          end

          kept = unpack(places).reject { |place| removed.key?(place >> NUMBER_BITS) }
          pack((kept + added).sort)
        end

        # @return [Array<String>] places cut into pieces, each of a few more than a chunk should have at the most,
        #   between documents
        def pieces(places)
          found = []
          numbers = unpack(places)
          start = 0
          while start < numbers.size
            finish = start + SqliteSchema::PLACES_IN_CHUNK
            finish += 1 while finish < numbers.size && same_document?(numbers[finish], numbers[finish - 1])
            found << places.byteslice(start * PLACE_BYTES, (finish - start) * PLACE_BYTES)
            start = finish
          end
          found
        end

        private

        def same_document?(place, other)
          place >> NUMBER_BITS == other >> NUMBER_BITS
        end
      end

      # @param connection [SqliteConnection] one with an open transaction
      # @param tables [SqliteTables] what it sees
      def initialize(connection, tables)
        @connection = connection
        @tables = tables
      end

      # Change terms of a field.
      #
      # @param field [Integer] its key
      # @param changes [Hash{String=>TermChange}] token → what happens to it; documents are in ascending order of their
      #   numbers
      # @return [void]
      def change(field, changes)
        frequencies = Hash.new(0)
        changes.each do |token, change|
          row = @connection.row(
            "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token
          )
          term, documents, chunks, places, checksum = row || [nil, 0, 0, "".b, 0]
          places = @tables.sound(places, checksum)
          holding = documents + change.documents
          frequencies[documents] -= 1
          frequencies[holding] += 1
          term = new_term(field, token) if term.nil? && change.added.size > 2 * SqliteSchema::PLACES_IN_CHUNK
          places, chunks = changed(term, chunks, places, change)
          write(term, field, token, [holding, chunks, places, Zlib.crc32(places)])
        end
        count(field, frequencies)
      end

      private

      def write(term, field, token, values)
        if term.nil?
          @connection.run(
            "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, ?, ?, ?, ?)",
            field, token, *values
          )
        elsif values[0].zero?
          @connection.run("DELETE FROM terms WHERE term = ?", term)
        else
          @connection.run(
            "UPDATE terms SET documents = ?, chunks = ?, places = ?, checksum = ? WHERE term = ?", *values, term
          )
        end
      end

      def new_term(field, token)
        @connection.insert(
          "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, 0, 0, x'', 0)",
          field, token
        )
      end

      # The places that then are in a term's row, and how many chunks there are.
      def changed(term, chunks, last, change)
        removed = change.removed
        added = change.added
        if chunks.positive?
          first = SqlitePostings.first_number(last)
          numbers = removed.keys.select { |number| number < first }
          numbers |= added.map { |place| place >> NUMBER_BITS }.select { |number| number < first }
          unless numbers.empty?
            chunks += change_chunks(term, numbers.sort, first, change)
            removed = removed.reject { |number, _| number < first }
            added = added.select { |place| place >> NUMBER_BITS >= first }
          end
        end
        last = SqlitePostings.merged(last, removed, added)
        while last.empty? && chunks.positive?
          chunk, last = chunk(term, HIGHEST)
          @connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
          chunks -= 1
        end
        return [last, chunks] if last.bytesize <= 2 * SqliteSchema::PLACES_IN_CHUNK * PLACE_BYTES

        *full, last = SqlitePostings.pieces(last)
        write_chunks(term, full)
        [last, chunks + full.size]
      end

      # Change the places of some documents in the chunks; gives how many chunks more there are.
      def change_chunks(term, numbers, finish, change)
        more = 0
        start = 0
        while start < numbers.size
          chunk, places = chunk(term, numbers[start])
          following = @connection.row(
            "SELECT chunk FROM postings WHERE chunk > ? AND chunk <= ? ORDER BY chunk LIMIT 1",
            chunk, (term << NUMBER_BITS) + HIGHEST
          )
          limit = following ? following[0] & HIGHEST : finish
          here = numbers[start..].take_while { |number| number < limit }.to_h { |number| [number, true] }
          added = change.added.select { |place| here.key?(place >> NUMBER_BITS) }
          removed = change.removed.select { |number, _| here.key?(number) }
          full = SqlitePostings.pieces(SqlitePostings.merged(places, removed, added))
          @connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
          write_chunks(term, full)
          more += full.size - 1
          start += here.size
        end
        more
      end

      # The chunk in which a document's places are, or should be.
      def chunk(term, number)
        low = term << NUMBER_BITS
        row = @connection.row("#{WITHIN} DESC LIMIT 1", low, low + number) ||
              @connection.row("#{WITHIN} LIMIT 1", low, low + HIGHEST)
        raise @tables.damaged if row.nil?

        chunk, places, checksum = row
        [chunk, @tables.sound(places, checksum)]
      end

      def write_chunks(term, places)
        places.each do |piece|
          key = (term << NUMBER_BITS) + SqlitePostings.first_number(piece)
          @connection.run("INSERT INTO postings VALUES (?, ?, ?)", key, piece, Zlib.crc32(piece))
        end
      end

      def count(field, frequencies)
        changed = frequencies.reject { |documents, count| documents.zero? || count.zero? }
        @connection.run_many(
          "INSERT INTO frequencies VALUES (?, ?, ?) " \
          "ON CONFLICT (field, documents) DO UPDATE SET terms = terms + excluded.terms",
          changed.map { |documents, count| [field, documents, count] }
        )
        @connection.run_many(
          "DELETE FROM frequencies WHERE field = ? AND documents = ? AND terms = 0",
          changed.map { |documents, _| [field, documents] }
        )
      end
    end
  end
end
