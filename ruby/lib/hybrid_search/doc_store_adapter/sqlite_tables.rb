# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Storing
    # Sketches of the vectors of documents whose numbers are near each other.
    class SketchBlock
      include ShortInspect

      # @return [Integer] its key
      attr_reader :block
      # @return [Integer] when it was changed last
      attr_reader :generation
      # @return [String] of each vector, 64 bits each
      attr_reader :ratios
      # @return [String] of each vector, 64 bits each
      attr_reader :errors
      # @return [String] one component of all vectors after the other, 8 bits each
      attr_reader :steps

      def initialize(block, generation, ratios, errors, steps)
        @block = block
        @generation = generation
        @ratios = ratios
        @errors = errors
        @steps = steps
        freeze
      end
    end

    # Reads the tables of an index file, in one state of it (SQL-1). Every method raises an {IndexCorruptError} where
    # something is not what was written.
    class SqliteTables
      include ShortInspect

      AT_ONCE = 200
      IDENTIFIERS = "SELECT number, id, id_checksum FROM documents WHERE number IN (%s)"
      FIELDS = "SELECT number, id, id_checksum, attributes, documents.checksum, content, texts.checksum " \
               "FROM documents JOIN texts USING (number) WHERE number IN (%s)"
      VECTORS = "SELECT vector, content, checksum FROM vectors WHERE vector IN (%s)"
      LOW = (1 << Blobs::NUMBER_BITS) - 1
      private_constant :LOW

      # @return [SqliteConnection] one with an open transaction
      attr_reader :connection
      # @return [Integer] how many batches have changed something
      attr_reader :generation
      # @return [Integer] another one after each change
      alias state generation
      # @return [Integer] how many documents there are
      attr_reader :count
      # @return [Integer] all numbers of documents are below
      attr_reader :numbers

      # @param path [String] of the file, for messages
      # @param connection [SqliteConnection] one with an open transaction
      def initialize(path, connection)
        @path = path
        @connection = connection
        row = connection.row("SELECT generation, documents, numbers FROM state")
        raise damaged if row.nil?

        @generation, @count, @numbers = row
      end

      # @return [String, nil] what was noted under a name
      def note(name)
        row = @connection.row("SELECT text, checksum FROM notes WHERE name = ?", name.b)
        row && text_of(*row)
      end

      # @return [Hash{String=>String}] vector field → the name of the model that made its vectors
      def vector_models
        rows = @connection.rows("SELECT field, model FROM vector_models ORDER BY field")
        names = rows.map { |field, _| field.force_encoding(::Encoding::UTF_8) }
        names.zip(rows.map(&:last)).to_h
      end

      # @return [Integer, nil] the number of a document
      def number(identifier)
        @connection.row("SELECT number FROM documents WHERE id = ?", identifier.b)&.first
      end

      # @return [Hash{String=>Integer}] the ids and numbers of those of some documents that are stored
      def numbers_of(identifiers)
        identifiers.to_h { |identifier| [identifier, number(identifier)] }.compact
      end

      # @return [Hash{Integer=>String}] the numbers and ids of some documents
      def identifiers_of(numbers)
        found = rows_of(IDENTIFIERS, numbers).to_h { |number, *row| [number, text_of(*row)] }
        raise damaged if found.size != numbers.size

        found
      end

      # @return [Array<Array(Integer, String)>] the numbers and ids of all documents
      def identifiers
        @connection.rows("SELECT number, id, id_checksum FROM documents").map do |number, *row|
          [number, text_of(*row)]
        end
      end

      # @return [Array(Hash{String=>Object}, Array<String>)] the fields of a document but its vectors, and the names of
      #   its vector fields
      def fields(number)
        fields_of([number])[number] || raise(damaged)
      end

      # @return [Hash{Integer=>Array(Hash{String=>Object}, Array<String>)}] the same of many documents, by their numbers
      def fields_of(numbers)
        rows_of(FIELDS, numbers).to_h do |number, *row|
          own = StoredJson.read(sound(*row[2..3])).merge("id" => text_of(*row[0..1]))
          texts = StoredJson.read(sound(*row[4..5]))
          fields = texts["fields"].to_h { |name, text| [name, text.nil? ? own[name] : text] }
          [number, [fields.freeze, texts["vectors"]]]
        end
      end

      # @return [Array<StoredDocument>] some documents
      def stored_at(numbers)
        numbers.map do |number|
          fields, vector_fields = fields(number)
          StoredDocument.new(fields["id"], fields, vector_fields.to_h { |field| [field, vector(number, field)] })
        end
      end

      # @return [Array<StoredDocument>] all documents
      def all_stored
        stored_at(identifiers.map(&:first))
      end

      # @return [Array<Float>] the vector of a document in a field that it has
      def vector(number, field)
        row = field(SqliteSchema::ATTRIBUTES, field)
        raise damaged if row.nil?

        found = vectors(row.field, [number], StoredDocument.vector_dimension("field", field))
        found.empty? ? raise(damaged) : found[0][2]
      end

      # @return [Array<Array(Integer, Float, Array<Float>)>] the numbers of those of some documents that have a vector
      #   in a field, with its norm and the vector
      def vectors(field, numbers, dimension)
        first = key(field, 0)
        rows_of(VECTORS, numbers.map { |number| first + number }).map do |key, content, checksum|
          width, rest = (sound(content, checksum).bytesize - 8).divmod(dimension)
          raise damaged unless rest.zero? && [4, 8].include?(width)

          [key - first, content.unpack1("E"), content.unpack(width == 4 ? "e*" : "E*", offset: 8).freeze]
        end
      end

      # @return [FieldRow, nil] a field; nil if no document has ever had it
      def field(kind, name)
        row = @connection.row("SELECT field, documents, tokens FROM fields WHERE kind = ? AND name = ?", kind, name.b)
        row && FieldRow.new(row[0], name, row[1], row[2])
      end

      # @return [Boolean] whether a document has a vector in a field
      def holds_vectors?(name)
        row = field(SqliteSchema::ATTRIBUTES, name)
        !row.nil? && row.documents.positive?
      end

      # @return [String] the places of a term, ascending
      def places(field, token)
        row = @connection.row(
          "SELECT term, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token.b
        )
        row ? all_places(*row) : "".b
      end

      # @return [Array<Array(String, String)>] each term of a field, with its places
      def terms(field)
        rows = @connection.rows("SELECT token, term, chunks, places, checksum FROM terms WHERE field = ?", field)
        rows.map { |token, *row| [token, all_places(*row)] }
      end

      # @return [Hash{Integer=>Integer}] in how many documents terms are → how many terms are in so many
      def frequencies(field)
        @connection.rows("SELECT documents, terms FROM frequencies WHERE field = ?", field).to_h
      end

      # @return [Array<Array(Integer, String)>] the blocks of a field's lengths, with the number of the first document
      #   of each
      def lengths(field)
        rows = @connection.rows(
          "SELECT block, lengths, checksum FROM lengths WHERE block BETWEEN ? AND ? ORDER BY block", *keys(field)
        )
        rows.map { |block, *row| [(block & LOW) * Blobs::LENGTHS_IN_BLOCK, sound(*row)] }
      end

      # @return [String, nil] a block of lengths
      def length_block(field, block)
        row = @connection.row("SELECT lengths, checksum FROM lengths WHERE block = ?", key(field, block))
        row && sound(*row)
      end

      # @return [Array<Array(Integer, Integer)>] the keys of a field's blocks of sketches, and when each was changed
      #   last
      def sketch_generations(field)
        rows = @connection.rows(
          "SELECT block, generation FROM sketches WHERE block BETWEEN ? AND ? ORDER BY block", *keys(field)
        )
        rows.map { |block, generation| [block & LOW, generation] }
      end

      # @return [SketchBlock, nil] a block of sketches
      def sketches(field, block, dimension)
        row = @connection.row(
          "SELECT generation, ratios, errors, steps, checksum FROM sketches WHERE block = ?", key(field, block)
        )
        return nil if row.nil?

        *parts, checksum = row
        content = sound(parts[1..3].join, checksum)
        raise damaged if content.bytesize != SqliteSchema::VECTORS_IN_BLOCK * (16 + dimension)

        SketchBlock.new(block, *parts)
      end

      # @return [String] a blob or a text, if it is what was written
      def sound(content, checksum)
        raise damaged unless content.is_a?(::String) && Zlib.crc32(content) == checksum

        content
      end

      # @return [IndexCorruptError] the error of a file that does not hold what was written
      def damaged
        SqliteErrors.damaged(@path)
      end

      private

      # The rows of many keys, some at once.
      def rows_of(statement, keys)
        keys.each_slice(AT_ONCE).flat_map do |some|
          size = some.size == 1 ? 1 : AT_ONCE
          asked = format(statement, (["?"] * size).join(", "))
          @connection.rows(asked, *some, *Array.new(size - some.size, -1))
        end
      end

      def text_of(content, checksum)
        sound(content, checksum).force_encoding(::Encoding::UTF_8).freeze
      end

      def all_places(term, chunks, places, checksum)
        last = sound(places, checksum)
        return last if chunks.zero?

        rows = @connection.rows(
          "SELECT places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk", *keys(term)
        )
        raise damaged if rows.size != chunks

        rows.map { |row| sound(*row) }.join << last
      end

      def key(high, low)
        (high << Blobs::NUMBER_BITS) + low
      end

      # The lowest and the highest key of a term or a field.
      def keys(high)
        [key(high, 0), key(high, LOW)]
      end
    end
  end
end
