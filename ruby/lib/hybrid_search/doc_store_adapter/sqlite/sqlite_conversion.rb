# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Converts an index file of the previous schema to this one, in a transaction (SQL-1): packs texts and places,
      # after checking each row.
      class SqliteConversion
        include Base::ShortInspect

        # The version of the schema that is converted: its texts and places are not packed.
        BEFORE = 3
        AT_ONCE = 1000
        TEXTS = "SELECT number, content, checksum FROM earlier_texts WHERE number > ? ORDER BY number LIMIT ?"
        TERMS = "SELECT term, field, token, documents, chunks, places, checksum FROM terms WHERE term > ? " \
                "ORDER BY term LIMIT ?"
        POSTINGS = "SELECT chunk, places, checksum FROM postings WHERE chunk > ? ORDER BY chunk LIMIT ?"
        private_constant :AT_ONCE, :TEXTS, :TERMS, :POSTINGS

        # @param tables [SqliteTables] the tables as the transaction sees them
        def initialize(tables)
          @tables = tables
          @connection = tables.connection
        end

        # Convert the file, and write the new version into it.
        #
        # @return [void]
        def convert
          @connection.run("ALTER TABLE texts RENAME TO earlier_texts")
          @connection.run(SqliteSchema::TABLES.split(";\n").find { |statement| statement.include?("TABLE texts ") })
          each(TEXTS, "INSERT INTO texts (content, checksum, number) VALUES (?, ?, ?)") { |row| text(*row) }
          @connection.run("DROP TABLE earlier_texts")
          each(TERMS, "UPDATE terms SET places = ?, checksum = ? WHERE term = ?") { |row| term(*row) }
          each(POSTINGS, "UPDATE postings SET places = ?, checksum = ? WHERE chunk = ?") { |row| chunk(*row) }
          @tables.change_state
          @connection.run("PRAGMA user_version = #{SqliteSchema::VERSION}")
        end

        private

        def each(asked, written)
          last = -1
          until (rows = @connection.rows(asked, last, AT_ONCE)).empty?
            rows.each { |row| @connection.run(written, *yield(row), row[0]) }
            last = rows[-1][0]
          end
        end

        def text(number, content, checksum)
          packed = SqlitePacking.pack_text(@tables.sound(content, checksum, number))
          [packed, Tables::RowChecksum.of([number], packed)]
        end

        def term(_term, field, token, documents, chunks, places, checksum)
          @tables.check(checksum, [field, documents, chunks], token, places)
          packed = SqlitePacking.pack_places(places)
          [packed, Tables::RowChecksum.of([field, documents, chunks], token, packed)]
        end

        def chunk(chunk, places, checksum)
          packed = SqlitePacking.pack_places(@tables.sound(places, checksum, chunk))
          [packed, Tables::RowChecksum.of([chunk], packed)]
        end
      end
    end
  end
end
