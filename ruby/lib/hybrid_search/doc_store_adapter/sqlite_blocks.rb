# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Storing
    # Changes the lengths of fields and the vectors of documents in an index file, in blocks of neighbouring numbers
    # (SQL-1), in a transaction.
    class SqliteBlocks
      include ShortInspect

      NO_LENGTH = -1

      # @param connection [SqliteConnection] one with an open transaction
      # @param tables [SqliteTables] what it sees
      def initialize(connection, tables)
        @connection = connection
        @tables = tables
      end

      # Write down how many tokens documents have in a field.
      #
      # @param field [Integer] its key
      # @param changes [Hash{Integer=>Integer, nil}] number → how many, or nil for a document without the field
      # @return [void]
      def change_lengths(field, changes)
        size = SqliteSchema::LENGTHS_IN_BLOCK
        changes.keys.group_by { |number| number / size }.each do |block, numbers|
          known = @tables.length_block(field, block)
          lengths = known ? known.unpack("l<*") : Array.new(size, NO_LENGTH)
          numbers.each { |number| lengths[number % size] = changes[number] || NO_LENGTH }
          packed = lengths.pack("l<*")
          @connection.run("REPLACE INTO lengths VALUES (?, ?, ?)", key(field, block), packed, Zlib.crc32(packed))
        end
      end

      # Write down vectors.
      #
      # @param field [Integer] its key
      # @param name [String] its name
      # @param changes [Hash{Integer=>Array<Float>, nil}] number → the vector, or nil for a document without the field
      # @param generation [Integer] the one that the file then has
      # @return [void]
      def change_vectors(field, name, changes, generation)
        dimension = StoredDocument.vector_dimension("field", name)
        size = SqliteSchema.vectors_in_block(dimension)
        changes.keys.group_by { |number| number / size }.each do |block, numbers|
          known = @tables.vector_block(field, block)
          rows = known ? rows(known, dimension) : {}
          numbers.each do |number|
            vector = changes[number]
            rows.delete(number)
            rows[number] = [Numeric.norm(vector), vector] if vector
          end
          write_vectors(key(field, block), rows, generation)
        end
      end

      private

      def key(field, block)
        (field << SqliteSchema::NUMBER_BITS) + block
      end

      def write_vectors(key, rows, generation)
        return @connection.run("DELETE FROM vectors WHERE block = ?", key) if rows.empty?

        ordered = rows.sort_by(&:first)
        components = ordered.flat_map { |_, (_, vector)| vector }
        width = fits_single?(components) ? 4 : 8
        parts = [
          ordered.map(&:first).pack("l<*"),
          ordered.map { |_, (norm, _)| norm }.pack("E*"),
          components.pack(width == 4 ? "e*" : "E*")
        ]
        @connection.run(
          "REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)", key, generation, *parts, width, Zlib.crc32(parts.join)
        )
      end

      def rows(block, dimension)
        pairs = block.norms.unpack("E*").zip(block.vectors(dimension))
        block.numbers.unpack("l<*").zip(pairs).to_h
      end

      # Whether floats of 32 bits hold every component, -0.0 too.
      def fits_single?(components)
        components.pack("e*").unpack("e*") == components
      end
    end
  end
end
