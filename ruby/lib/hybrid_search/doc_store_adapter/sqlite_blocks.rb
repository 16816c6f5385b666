# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Storing
    # Changes the lengths of fields and the vectors of documents in an index file, in blocks of neighbouring numbers
    # (SQL-1), in a transaction.
    class SqliteBlocks
      include ShortInspect

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
        size = Blobs::LENGTHS_IN_BLOCK
        changes.keys.group_by { |number| number / size }.each do |block, numbers|
          known = @tables.length_block(field, block)
          lengths = known ? Blobs.unpack_lengths(known) : Array.new(size, Blobs::NO_LENGTH)
          numbers.each { |number| lengths[number % size] = changes[number] || Blobs::NO_LENGTH }
          packed = Blobs.pack_lengths(lengths)
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
        (field << Blobs::NUMBER_BITS) + block
      end

      def write_vectors(key, rows, generation)
        return @connection.run("DELETE FROM vectors WHERE block = ?", key) if rows.empty?

        ordered = rows.sort_by(&:first)
        components = ordered.flat_map { |_, (_, vector)| vector }
        width = Blobs.fits_single?(components) ? 4 : 8
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
    end
  end
end
