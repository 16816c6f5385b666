# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Reads a whole index file and reports its damage (SQL-7).
      class SqliteCheck
        include Base::ShortInspect

        # The tables, each with the number of integers before the blobs of a row, and the columns.
        ROWS = [
          ["documents", 1, "number, id, id_checksum"],
          ["documents", 1, "number, attributes, checksum"],
          ["texts", 1, "number, content, checksum"],
          ["notes", 0, "name, text, checksum"],
          ["fields", 6, "field, kind, documents, tokens, terms, blocks, name, checksum"],
          ["terms", 3, "field, documents, chunks, token, places, checksum"],
          ["postings", 1, "chunk, places, checksum"],
          ["frequencies", 3, "field, documents, terms, checksum"],
          ["lengths", 1, "block, lengths, checksum"],
          ["vectors", 1, "vector, content, checksum"],
          ["sketches", 2, "block, generation, ratios, errors, steps, checksum"],
          ["vector_models", 0, "field, model, origin, checksum"],
          ["changes", 1, "generation, mark, numbers, checksum"]
        ].freeze
        FREE = "SELECT count(*) FROM free_numbers " \
               "WHERE number NOT IN (SELECT number FROM documents) AND number BETWEEN 0 AND ?"
        BITS = Tables::Blobs::NUMBER_BITS
        # The queries that count missing terms, tokens and chunks, by field.
        COUNTED = [
          "SELECT field, 1, places, chunks FROM terms",
          "SELECT field, 0, postings.places, -1 FROM postings JOIN terms ON term = chunk >> #{BITS}"
        ].freeze
        VECTOR_FIELDS = "SELECT field, documents FROM fields WHERE kind = 1 AND CAST(name AS TEXT) GLOB 'q_[0-9]*_vec'"
        private_constant :ROWS, :FREE, :BITS, :COUNTED, :VECTOR_FIELDS

        # @param connection [SqliteConnection] a connection with an open transaction
        def initialize(connection)
          @connection = connection
          @found = []
        end

        # @return [Array<String>] the damage of the file, in sentences
        def findings
          begin
            @connection.rows("PRAGMA integrity_check").each { |row| @found << "SQLite: #{row[0]}" if row[0] != "ok" }
            damaged
            missing
            missing_of_fields
            missing_vectors
          rescue SQLite3::Exception, ::TypeError, ::NoMethodError
            @found << "not all tables can be read"
          end
          @found
        end

        private

        # Report the rows whose checksum does not match their values.
        def damaged
          @found << "state: 1 row is not what was written" if SqliteState.read(@connection).nil?
          ROWS.each do |table, integers, columns|
            next if table == "changes" && @connection.row(SqliteChanges::IS_THERE).nil?

            wrong = 0
            @connection.each("SELECT #{columns} FROM #{table}") do |*values, checksum|
              wrong += 1 unless sound?(values, integers, checksum)
            end
            @found << "#{table}: #{wrong} row#{wrong == 1 ? " is" : "s are"} not what was written" if wrong.positive?
          end
        end

        def sound?(values, integers, checksum)
          Tables::RowChecksum.of(values.take(integers), *values.drop(integers)) == checksum
        rescue ::TypeError
          false
        end

        # Report the missing and surplus rows, according to `state`.
        def missing
          state = SqliteState.read(@connection)
          return if state.nil?

          { "documents" => state.documents, "texts" => state.documents,
            "fields" => state.fields }.each do |table, expected|
            compare(table, "rows", @connection.value("SELECT count(*) FROM #{table}"), expected)
          end
          free = @connection.row(FREE, state.numbers - 1)[0]
          compare("free_numbers", "rows", free, state.numbers - state.documents)
          compare("free_numbers", "rows", @connection.value("SELECT count(*) FROM free_numbers"), free)
        end

        # Report the missing and surplus rows, according to the rows of `fields`.
        def missing_of_fields
          counts = counts_by_field
          lengths = by_field("SELECT block >> #{BITS}, count(*) FROM lengths GROUP BY 1")
          frequencies = by_field("SELECT field, sum(terms) FROM frequencies GROUP BY field")
          @connection.rows("SELECT field, tokens, terms, blocks FROM fields").each do |field, tokens, terms, blocks|
            found_terms, found_tokens, chunks = counts.delete(field) || [0, 0, 0]
            compare("terms of field #{field}", "rows", found_terms, terms)
            compare("terms of field #{field}", "places", found_tokens, tokens)
            compare("postings of field #{field}", "missing rows", chunks, 0)
            compare("lengths of field #{field}", "rows", lengths.delete(field) || 0, blocks)
            compare("frequencies of field #{field}", "terms", frequencies.delete(field) || 0, terms)
          end
          left_over("terms" => counts, "lengths" => lengths, "frequencies" => frequencies)
        end

        def counts_by_field
          counts = Hash.new { |known, field| known[field] = [0, 0, 0] }
          COUNTED.each do |statement|
            @connection.each(statement) do |field, terms, places, chunks|
              more = [terms, SqlitePacking.count_places(places), chunks]
              more.each_with_index { |value, place| counts[field][place] += value }
            end
          end
          counts.default = nil
          counts
        end

        # Report the vectors and sketches that are missing, and those that should not exist.
        def missing_vectors
          vectors = by_field("SELECT vector >> #{BITS}, count(*) FROM vectors GROUP BY 1")
          sketches = Hash.new(0)
          @connection.each("SELECT block, errors FROM sketches") do |block, errors|
            sketches[block >> BITS] += errors.unpack("E*").count { |error| error != Tables::VectorSketch::ABSENT }
          end
          @connection.rows(VECTOR_FIELDS).each do |field, documents|
            compare("vectors of field #{field}", "rows", vectors.delete(field) || 0, documents)
            compare("sketches of field #{field}", "vectors", sketches.delete(field) || 0, documents)
          end
          left_over("vectors" => vectors, "sketches" => sketches)
        end

        def by_field(statement)
          @connection.rows(statement).to_h
        end

        def compare(what, unit, found, expected)
          @found << "#{what}: #{found} #{unit}, #{expected} expected" if found != expected
        end

        def left_over(tables)
          tables.each do |table, rest|
            rest.each_key { |field| @found << "#{table}: rows of field #{field}, which is not there" }
          end
        end
      end
    end
  end
end
