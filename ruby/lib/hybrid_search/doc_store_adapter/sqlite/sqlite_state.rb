# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # The one row of `state` of an index file (SQL-1).
      class SqliteState
        include Base::ShortInspect

        SELECT = "SELECT generation, documents, numbers, fields, mark, before, checksum FROM state"
        REPLACE = "REPLACE INTO state VALUES (0, ?, ?, ?, ?, ?, ?, ?)"
        MARK_BYTES = 16
        private_constant :SELECT, :REPLACE, :MARK_BYTES

        # @param connection [SqliteConnection] a connection with an open transaction
        # @return [SqliteState, nil] the state in the view of the transaction, or nil if its checksum is wrong
        def self.read(connection)
          rows = connection.rows(SELECT)
          return nil if rows.size != 1

          *values, checksum = rows[0]
          state = new(*values)
          state.checksum == checksum ? state : nil
        rescue ::TypeError
          nil
        end

        # @return [SqliteState] the state of a new file
        def self.empty
          new(0, 0, 0, 0, Random.urandom(MARK_BYTES), "".b)
        end

        # @return [Integer] the number of batches that have changed documents
        attr_reader :generation
        # @return [Integer] the number of documents
        attr_reader :documents
        # @return [Integer] a number above all numbers of documents
        attr_reader :numbers
        # @return [Integer] the number of rows of `fields`
        attr_reader :fields
        # @return [String] the bytes that mark the last transaction, different from those of all others
        attr_reader :mark
        # @return [String] the mark of the previous transaction
        attr_reader :before

        def initialize(generation, documents, numbers, fields, mark, before)
          @generation = generation
          @documents = documents
          @numbers = numbers
          @fields = fields
          @mark = mark
          @before = before
          freeze
        end

        # @return [Integer] the checksum of the row
        def checksum
          Tables::RowChecksum.of([@generation, @documents, @numbers, @fields], @mark, @before)
        end

        # @param is_marked [Boolean] whether the transaction has its mark already
        # @return [SqliteState] the state after a change of some values
        def changed(is_marked, generation: @generation, documents: @documents, numbers: @numbers, fields: @fields)
          marks = is_marked ? [@mark, @before] : [Random.urandom(MARK_BYTES), @mark]
          SqliteState.new(generation, documents, numbers, fields, *marks)
        end

        # Write the row.
        #
        # @param connection [SqliteConnection]
        # @return [void]
        def write(connection)
          connection.run(REPLACE, @generation, @documents, @numbers, @fields, @mark, @before, checksum)
        end
      end
    end
  end
end
