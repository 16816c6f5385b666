# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Changes the terms of an index file and their places (SQL-1), in a transaction.
      #
      # The last places of a term are in its own row; if they become many, the first of them move to a chunk. The places
      # of a document are never in two of these.
      class SqlitePostings
        include Base::ShortInspect

        HIGHEST = (1 << Tables::Blobs::NUMBER_BITS) - 1
        # The row of a term: its key, or nil for a term without a row; the number of documents that contain it; the
        # number of its chunks; and the last places, packed.
        TermRow = Struct.new(:term, :documents, :chunks, :places)
        private_constant :TermRow
        WITHIN = "SELECT chunk, places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk"

        # @param tables [SqliteTables] the tables in the view of the transaction
        def initialize(tables)
          @tables = tables
          @connection = tables.connection
        end

        # Change terms of a field.
        #
        # @param field [Integer] the key of the field
        # @param changes [Tables::FieldChange] its documents are in ascending order of their numbers
        # @return [Integer] the increase of the number of terms
        def change(field, changes)
          change_terms(field, changes.terms)
        end

        private

        def change_terms(field, changes)
          frequencies = Hash.new(0)
          changes.each do |token, change|
            term, documents, chunks, places = *known(field, token)
            holding = documents + change.documents
            frequencies[documents] -= 1
            frequencies[holding] += 1
            term = new_term(field, token) if term.nil? && change.added.size > 2 * Tables::Blobs::PLACES_IN_CHUNK
            places, chunks = changed(term, chunks, places, change)
            checksum = Tables::RowChecksum.of([field, holding, chunks], token, places)
            write(term, field, token, [holding, chunks, places, checksum])
          end
          count(field, frequencies)
          -frequencies[0]
        end

        def known(field, token)
          row = @connection.row(
            "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token
          )
          return TermRow.new(nil, 0, 0, "".b) if row.nil?

          term, documents, chunks, places, checksum = row
          @tables.check(checksum, [field, documents, chunks], token, places)
          @tables.check_term(term)
          TermRow.new(term, documents, chunks, places)
        end

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

        # Return the new places in a term's row, and the new number of chunks.
        def changed(term, chunks, packed, change)
          removed = change.removed
          added = change.added
          last = @tables.unpacked_places([packed])
          if chunks.positive?
            first = Tables::Blobs.first_number(last)
            numbers = removed.keys.select { |number| number < first }
            numbers |= added.map { |place| place >> Tables::Blobs::NUMBER_BITS }.select { |number| number < first }
            unless numbers.empty?
              chunks += change_chunks(term, numbers.sort, first, change)
              removed = removed.reject { |number, _| number < first }
              added = added.select { |place| place >> Tables::Blobs::NUMBER_BITS >= first }
            end
          end
          last = Tables::Blobs.merged(last, removed, added)
          while last.empty? && chunks.positive?
            chunk, last = chunk(term, HIGHEST)
            @connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            chunks -= 1
          end
          if last.bytesize > 2 * Tables::Blobs::PLACES_IN_CHUNK * Tables::Blobs::PLACE_BYTES
            *full, last = Tables::Blobs.pieces(last)
            write_chunks(term, full)
            chunks += full.size
          end
          [SqlitePacking.pack_places(last), chunks]
        end

        # Change the places of some documents in the chunks; return the increase of the number of chunks.
        def change_chunks(term, numbers, finish, change)
          more = 0
          start = 0
          while start < numbers.size
            chunk, places = chunk(term, numbers[start])
            following = @connection.row(
              "SELECT chunk FROM postings WHERE chunk > ? AND chunk <= ? ORDER BY chunk LIMIT 1",
              chunk, (term << Tables::Blobs::NUMBER_BITS) + HIGHEST
            )
            limit = following ? following[0] & HIGHEST : finish
            here = numbers[start..].take_while { |number| number < limit }.to_h { |number| [number, true] }
            added = change.added.select { |place| here.key?(place >> Tables::Blobs::NUMBER_BITS) }
            removed = change.removed.select { |number, _| here.key?(number) }
            full = Tables::Blobs.pieces(Tables::Blobs.merged(places, removed, added))
            @connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            write_chunks(term, full)
            more += full.size - 1
            start += here.size
          end
          more
        end

        # Return the chunk that contains, or would contain, the places of a document.
        def chunk(term, number)
          low = term << Tables::Blobs::NUMBER_BITS
          row = @connection.row("#{WITHIN} DESC LIMIT 1", low, low + number) ||
                @connection.row("#{WITHIN} LIMIT 1", low, low + HIGHEST)
          raise @tables.damaged if row.nil?

          chunk, places, checksum = row
          [chunk, @tables.unpacked_places([@tables.sound(places, checksum, chunk)])]
        end

        def write_chunks(term, places)
          places.each do |piece|
            key = (term << Tables::Blobs::NUMBER_BITS) + Tables::Blobs.first_number(piece)
            packed = SqlitePacking.pack_places(piece)
            @connection.run("INSERT INTO postings VALUES (?, ?, ?)", key, packed, Tables::RowChecksum.of([key], packed))
          end
        end

        def count(field, frequencies)
          changes = frequencies.reject { |_, count| count.zero? }.sort.to_h
          changes.delete(0)
          before = @tables.frequencies_of(field, changes.keys)
          terms = changes.to_h { |documents, count| [documents, before.fetch(documents, 0) + count] }
          gone, left = terms.partition { |_, count| count.zero? }
          rows = left.map { |row| [field, *row, Tables::RowChecksum.of([field, *row])] }
          @connection.run_many("REPLACE INTO frequencies VALUES (?, ?, ?, ?)", rows)
          @connection.run_many("DELETE FROM frequencies WHERE field = ? AND documents = ?",
                               gone.map { |documents, _| [field, documents] })
        end
      end
    end
  end
end
