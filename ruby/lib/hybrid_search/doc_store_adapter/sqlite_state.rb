# frozen_string_literal: true

module HybridSearch
  module Storing
    # The one row of `state` of an index file (SQL-1).
    class SqliteState
      include ShortInspect

      SELECT = "SELECT changes, generation, documents, numbers, fields, identity, checksum FROM state"
      REPLACE = "REPLACE INTO state VALUES (0, ?, ?, ?, ?, ?, ?, ?)"
      private_constant :SELECT, :REPLACE

      # @param connection [SqliteConnection] one with an open transaction
      # @return [SqliteState, nil] the state that the transaction sees, or nil if it is not what was written
      def self.read(connection)
        rows = connection.rows(SELECT)
        return nil if rows.size != 1

        *values, identity, checksum = rows[0]
        state = new(*values, identity)
        state.checksum == checksum ? state : nil
      rescue ::TypeError
        nil
      end

      # @return [Integer] transactions that have written something
      attr_reader :changes
      # @return [Integer] batches that have changed documents
      attr_reader :generation
      # @return [Integer] the number of documents
      attr_reader :documents
      # @return [Integer] all numbers of documents are below
      attr_reader :numbers
      # @return [Integer] the number of rows of `fields`
      attr_reader :fields
      # @return [String] bytes that no other file has
      attr_reader :identity

      def initialize(changes, generation, documents, numbers, fields, identity)
        @changes = changes
        @generation = generation
        @documents = documents
        @numbers = numbers
        @fields = fields
        @identity = identity
        freeze
      end

      # @return [Integer] the checksum of the row
      def checksum
        RowChecksum.of([@changes, @generation, @documents, @numbers, @fields], @identity)
      end

      # @return [SqliteState] the state after a transaction that changes some values
      def changed(generation: @generation, documents: @documents, numbers: @numbers, fields: @fields)
        SqliteState.new(@changes + 1, generation, documents, numbers, fields, @identity)
      end

      # Write the row.
      #
      # @param connection [SqliteConnection]
      # @return [void]
      def write(connection)
        connection.run(REPLACE, @changes, @generation, @documents, @numbers, @fields, @identity, checksum)
      end
    end
  end
end
