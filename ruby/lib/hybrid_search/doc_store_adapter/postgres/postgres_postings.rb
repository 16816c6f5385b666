# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Writes the terms of a batch and their positions into the tables of a collection in PostgreSQL (PG-1), in a
      # transaction.
      #
      # The last positions of a term are in the term's own row. When that row becomes large, its first positions move to
      # a chunk. The positions of one document are always together, in the row or in one chunk.
      class PostgresPostings
        include Base::ShortInspect

        # The changes for a chunk or for a term's row: the numbers of removed documents, and new positions.
        PositionChange = Struct.new(:removed, :added) do
          def self.none
            new({}, [])
          end
        end
        private_constant :PositionChange

        # The changes of a batch: new terms, changed terms, the keys of removed terms, and chunks.
        Written = Struct.new(:fresh, :changed, :gone, :chunks)
        private_constant :Written

        # @return [Integer] a number above all keys of terms
        attr_reader :terms

        # @param connection [PostgresConnection] a connection with an open transaction
        # @param terms [Integer] a number above all keys of terms
        def initialize(connection, terms)
          @connection = connection
          @terms = terms
        end

        # @param changes [Hash{Array(Integer, String)=>Tables::TermChange}] field and token → the change of the term
        # @return [Array] the query for the rows of terms that have to be read before a change
        def question(changes)
          ["terms_to_change", changes.keys.map(&:first), changes.keys.map { |_, token| PostgresKeys.key_of(token) }]
        end

        # Change terms.
        #
        # @param changes [Hash{Array(Integer, String)=>Tables::TermChange}] field and token → the change of the term,
        #   with documents in ascending order of their numbers
        # @param rows [Array<Array>] the result of {#question}
        # @return [void]
        def change(changes, rows)
          tokens = changes.keys.to_h { |field, token| [[field, PostgresKeys.key_of(token)], [field, token]] }
          known = rows.to_h { |field, key, *row| [tokens[[field, key]], row] }
          chunks = chunks(changes, known)
          frequencies = Hash.new(0)
          written = Written.new([], [], [], [])
          changes.each { |key, change| change_term(key, change, known[key], chunks, frequencies, written) }
          write_chunks(chunks.flat_map { |term, own| own.keys.map { |first| [term, first] } }, written.chunks)
          write_terms(written)
          count(frequencies)
        end

        private

        def change_term(key, change, row, chunks, frequencies, written)
          field, token = key
          term, before, count, last = row || [new_term, 0, 0, "".b]
          documents = before + change.documents
          frequencies[[field, before]] -= 1
          frequencies[[field, documents]] += 1
          own = chunks[term] || {}
          last, pieces = changed(own, count, last, change)
          written.chunks.concat(pieces.map { |piece| [term, Tables::Blobs.first_number(piece), piece] })
          count += pieces.size - own.size
          if row.nil?
            written.fresh << [term, field, PostgresKeys.key_of(token), documents, count, last]
          elsif documents.positive?
            written.changed << [term, documents, count, last]
          else
            written.gone << term
          end
        end

        def new_term
          @terms += 1
          @terms - 1
        end

        # Return the chunks that change: term → number of the first document of a chunk → positions.
        def chunks(changes, known)
          touched = known.flat_map do |key, (term, _, count, last)|
            count.zero? ? [] : numbers_before(first(last), changes[key]).map { |number| [term, number] }
          end
          return {} if touched.empty?

          rows = @connection.rows("chunks_to_change", touched.map(&:first), touched.map(&:last))
          rows.sort.each_with_object({}) { |(term, first, places), found| (found[term] ||= {})[first] = places }
        end

        def write_chunks(removed, written)
          @connection.later_rows("remove_chunks", removed)
          @connection.later_rows("add_chunks", written)
        end

        def write_terms(written)
          @connection.later_rows("add_terms", written.fresh)
          @connection.later_rows("change_terms", written.changed)
          @connection.later_rows("remove_terms", written.gone.map { |term| [term] })
        end

        def count(frequencies)
          changed = frequencies.filter_map { |key, count| [*key, count] unless key[1].zero? || count.zero? }
          return if changed.empty?

          @connection.later_rows("count_frequencies", changed)
          @connection.later("forget_frequencies", changed.map(&:first).uniq.sort)
        end

        # Return the positions in a term's row after the change, and the chunks that are new or replace others.
        #
        # @param chunks [Hash{Integer=>String}] the chunks that change, in ascending order
        # @param count [Integer] the number of chunks of the term
        # @param last [String] the positions in the term's row
        # @param change [Tables::TermChange] the change of the term
        def changed(chunks, count, last, change)
          parts, own = parted(chunks.keys, count.zero? ? 0 : first(last), change)
          pieces = chunks.flat_map do |first, places|
            Tables::Blobs.pieces(Tables::Blobs.merged(places, *parts[first].to_a)).reject(&:empty?)
          end
          last = Tables::Blobs.merged(last, *own.to_a)
          return [last, pieces] if last.bytesize <= 2 * Tables::Blobs::PLACES_IN_CHUNK * Tables::Blobs::PLACE_BYTES

          *full, last = Tables::Blobs.pieces(last)
          [last, pieces + full]
        end

        # Return the collected changes for each chunk, and for the term's row, which begins with the document `start`.
        def parted(firsts, start, change)
          parts = firsts.to_h { |first| [first, PositionChange.none] }
          own = PositionChange.none
          part_of = lambda do |number|
            next own if number >= start

            place = firsts.bsearch_index { |first| first > number } || firsts.size
            parts[firsts[[0, place - 1].max]]
          end
          change.removed.each_key { |number| part_of.call(number).removed[number] = true }
          change.added.each { |place| part_of.call(place >> Tables::Blobs::NUMBER_BITS).added << place }
          [parts, own]
        end

        # Return the number of the first document in a term's row; if the row is empty, a number above all documents.
        def first(last)
          last.empty? ? 1 << Tables::Blobs::NUMBER_BITS : Tables::Blobs.first_number(last)
        end

        def numbers_before(start, change)
          added = change.added.map { |place| place >> Tables::Blobs::NUMBER_BITS }
          (change.removed.keys | added).select { |number| number < start }.sort
        end
      end
    end
  end
end
