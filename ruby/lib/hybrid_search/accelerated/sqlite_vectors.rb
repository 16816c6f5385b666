# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the nearest documents in each state of an index file (SQL-5, DOC-3).
    #
    # Rows are read when a question needs them, and kept until blocks of them have changed. Where those of a field are
    # more than may be kept, they are read part by part for each question. Several threads may ask at once.
    class SqliteVectors
      include ShortInspect

      BYTES_AT_ONCE = 16 << 20
      BYTES_IN_FLOAT = 8

      # Vectors as rows: the keys of the blocks they are of, each with the generation of its last change, what was read
      # of each block, how many bytes that is, the index of the rows, and whether they are screened.
      Rows = Struct.new(:blocks, :read, :bytes, :index, :screened)
      # Of a block the vectors, their documents and norms.
      Part = Struct.new(:vectors, :numbers, :norms)
      private_constant :Rows, :Part

      # @param memory [Integer] how many bytes of them may be kept
      def initialize(memory)
        @memory = memory
        @kept = {}
      end

      # @param query [Storing::MatchExprs::DenseQuery]
      # @param row [Storing::FieldRow] the field
      # @param tables [Storing::SqliteTables]
      # @param limit [Integer] how many documents will be wanted at the most
      # @param allowed [String, nil] for each number a byte, 1 when it counts; nil when all do
      # @return [Array(Array<Integer>, Array<Float>)] the numbers and cosines of documents, among them the best `limit`
      #   with all ties of the last, in no order
      def best(query, row, tables, limit, allowed)
        numbers = []
        cosines = []
        each_index(row, Storing::StoredDocument.vector_dimension("field", query.field), tables) do |index|
          found = index.best(query.vector, limit, query.similarity, allowed)
          numbers.concat(found[0])
          cosines.concat(found[1])
        end
        [numbers, cosines]
      end

      private

      def each_index(row, dimension, tables)
        blocks = tables.vector_generations(row.field)
        known = @kept[row.name]
        return yield screened(known) if known && known.blocks == blocks

        bytes = row.documents * ((dimension * BYTES_IN_FLOAT) + 16)
        if bytes > @memory
          @kept.delete(row.name)
          per_part = [1, blocks.size * BYTES_AT_ONCE / [1, bytes].max].max
          blocks.each_slice(per_part) { |part| yield rows(row.field, dimension, tables, part, nil).index }
        else
          fresh = rows(row.field, dimension, tables, blocks, known)
          fresh.bytes = bytes
          @kept = others(row.name, bytes).merge(row.name => fresh)
          yield fresh.index
        end
      end

      # Who asks a second time will ask more often.
      def screened(known)
        known.index.screen_rows unless known.screened
        known.screened = true
        known.index
      end

      # What is kept of other fields, as far as there is room.
      def others(name, bytes)
        room = @memory - bytes
        @kept.select do |other, rows|
          next false if other == name || rows.bytes > room

          room -= rows.bytes
          true
        end
      end

      # The rows of blocks; those that have not changed are taken from what is known.
      def rows(field, dimension, tables, blocks, known)
        read = known ? known.read.slice(*blocks) : {}
        blocks.each { |entry| read[entry] ||= part(field, dimension, tables, entry[0]) }
        parts = read.values_at(*blocks)
        index = DenseIndex.of(dimension, parts.flat_map(&:vectors), parts.flat_map(&:numbers), parts.flat_map(&:norms))
        Rows.new(blocks, read, 0, index)
      end

      def part(field, dimension, tables, key)
        block = tables.vector_block(field, key)
        raise tables.damaged if block.nil?

        Part.new(block.vectors(dimension), block.numbers.unpack("l<*"), block.norms.unpack("E*"))
      end
    end
  end
end
