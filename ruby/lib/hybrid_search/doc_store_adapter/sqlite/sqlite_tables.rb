# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Reads the tables of an index file, in one state of it (SQL-1). Every method raises an {IndexCorruptError} if
      # something differs from what was written.
      class SqliteTables
        include Base::ShortInspect

        AT_ONCE = 200
        IDENTIFIERS = "SELECT number, id, id_checksum FROM documents WHERE number IN (%s)"
        FIELDS = "SELECT number, id, id_checksum, attributes, documents.checksum, content, texts.checksum " \
                 "FROM documents JOIN texts USING (number) WHERE number IN (%s)"
        VECTORS = "SELECT vector, content, checksum FROM vectors WHERE vector IN (%s)"
        A_FIELD = "SELECT field, kind, name, documents, tokens, terms, blocks, checksum FROM fields"
        # The condition for fields whose names begin with q_, as those of vectors do.
        OF_VECTORS = "WHERE kind = ? AND name >= x'715f' AND name < x'7160'"
        LOW = (1 << Tables::Blobs::NUMBER_BITS) - 1
        private_constant :A_FIELD, :OF_VECTORS, :LOW

        # @return [SqliteConnection] a connection with an open transaction
        attr_reader :connection
        # @return [SqliteState] the row of `state`
        attr_reader :whole

        # @param path [String] the path of the file, for messages
        # @param connection [SqliteConnection] a connection with an open transaction
        def initialize(path, connection)
          @path = path
          @connection = connection
          @whole = SqliteState.read(connection) || raise(damaged)
          @fields_are_whole = false
        end

        # @return [Integer] the number of batches that have changed something
        def generation
          @whole.generation
        end

        # @return [Array(Integer, String)] another value after each change, also after changes of a copy of the file
        def state
          [@whole.generation, @whole.mark]
        end

        # @return [Integer] the number of documents
        def count
          @whole.documents
        end

        # @return [Integer] a number above all numbers of documents
        def numbers
          @whole.numbers
        end

        # Record that the transaction changes something.
        #
        # @param values [Hash{Symbol=>Integer}] attributes of {SqliteState}
        # @return [void]
        def change_state(**values)
          @whole = @whole.changed(@connection.is_marked, **values)
          @connection.is_marked = true
          @whole.write(@connection)
        end

        # @return [String, nil] the text noted under a name
        def note(name)
          row = @connection.row("SELECT text, checksum FROM notes WHERE name = ?", name.b)
          if row
            check(row[1], [], name, row[0])
            return text_of(row[0])
          end
          # A note whose name has changed would not be found.
          @connection.rows("SELECT name, text, checksum FROM notes").each { |*own, checksum| check(checksum, [], *own) }
          nil
        end

        # @return [Hash{String=>VectorSource}] the sources of the vector fields, as stored
        def sources
          @connection.rows("SELECT field, model, origin, checksum FROM vector_models").to_h do |*own, checksum|
            check(checksum, [], *own)
            field, model, origin = own.map { |text| text_of(text) }
            [field, VectorSource.new(model.empty? ? nil : model, origin.empty? ? nil : origin)]
          end
        end

        # @return [Hash{String=>Integer}] vector field → the number of documents that have it
        def vector_counts
          rows = fields_where("#{A_FIELD} #{OF_VECTORS}", SqliteSchema::ATTRIBUTES)
          counts = rows.to_h { |row| [text_of(row.name), row.documents] }
          counts.select { |name, _| Documents::StoredDocument.vector_field?(name) }
        end

        # @return [Integer, nil] the number of a document
        def number(identifier)
          row = @connection.row("SELECT number, id_checksum FROM documents WHERE id = ?", identifier.b)
          return nil if row.nil?

          check(row[1], [row[0]], identifier)
          row[0]
        end

        # @return [Hash{String=>Integer}] the ids and numbers of those of some documents that are stored
        def numbers_of(identifiers)
          identifiers.to_h { |identifier| [identifier, number(identifier)] }.compact
        end

        # @return [Hash{Integer=>String}] the numbers and ids of some documents
        def identifiers_of(numbers)
          found = rows_of(IDENTIFIERS, numbers).to_h { |number, *row| [number, text_of(sound(*row, number))] }
          raise damaged if found.size != numbers.size

          found
        end

        # @return [Array<Array(Integer, String)>] the numbers and ids of all documents
        def identifiers
          rows = @connection.rows("SELECT number, id, id_checksum FROM documents")
          raise damaged unless rows.size == count

          rows.map do |number, *row|
            [number, text_of(sound(*row, number))]
          end
        end

        # @return [Array(Hash{String=>Object}, Array<String>)] the fields of a document except its vectors, and the
        #   names of its vector fields
        def fields(number)
          fields_of([number])[number] || raise(damaged)
        end

        # @return [Hash{Integer=>Array(Hash{String=>Object}, Array<String>)}] the same for many documents, by their
        #   numbers
        def fields_of(numbers)
          rows_of(FIELDS, numbers).to_h do |number, *row|
            own = Documents::StoredJson.read(sound(*row[2..3], number)).merge(
              "id" => text_of(sound(*row[0..1], number))
            )
            content = sound(*row[4..5], number)
            texts = Documents::StoredJson.read(unpacked { SqlitePacking.unpack_text(content) })
            fields = texts["fields"].to_h { |name, text| [name, text.nil? ? own[name] : text] }
            [number, [fields.freeze, texts["vectors"]]]
          end
        end

        # @return [Array<Documents::StoredDocument>] some documents
        def stored_at(numbers)
          numbers.map do |number|
            fields, vector_fields = fields(number)
            Documents::StoredDocument.new(fields["id"], fields,
                                          vector_fields.to_h { |field| [field, vector(number, field)] })
          end
        end

        # @return [Array<Documents::StoredDocument>] all documents
        def all_stored
          stored_at(identifiers.map(&:first))
        end

        # @return [Array<Float>] the vector of a document in a field that it has
        def vector(number, field)
          row = field(SqliteSchema::ATTRIBUTES, field)
          raise damaged if row.nil?

          found = vectors(row.field, [number], Documents::StoredDocument.vector_dimension("field", field))
          found.empty? ? raise(damaged) : found[0][2]
        end

        # @return [Array<Array(Integer, Float, Array<Float>)>] the number, norm and vector of each of some documents
        #   that has a vector in a field
        def vectors(field, numbers, dimension)
          first = key(field, 0)
          rows_of(VECTORS, numbers.map { |number| first + number }).map do |key, content, checksum|
            width, rest = (sound(content, checksum, key).bytesize - 8).divmod(dimension)
            raise damaged unless rest.zero? && [4, 8].include?(width)

            [key - first, content.unpack1("E"), content.unpack(width == 4 ? "e*" : "E*", offset: 8).freeze]
          end
        end

        # @return [Tables::FieldRow, nil] a field; nil if no document has ever had it
        def field(kind, name)
          row = field_row(kind, name)
          row && Tables::FieldRow.new(row.field, name, row.documents, row.tokens)
        end

        # @return [SqliteField, nil] the row of a field; nil if no document has ever had it
        def field_row(kind, name)
          found = fields_where("#{A_FIELD} WHERE kind = ? AND name = ?", kind, name.b)
          if found.empty? && !@fields_are_whole
            # A row whose name or kind has changed, or that is missing, is not found.
            raise damaged if fields_where(A_FIELD).size != @whole.fields

            @fields_are_whole = true
          end
          found[0]
        end

        # @return [Boolean] whether a document has a vector in a field
        def holds_vectors?(name)
          row = field(SqliteSchema::ATTRIBUTES, name)
          !row.nil? && row.documents.positive?
        end

        # @return [String] the places of a term, ascending
        def places(field, token)
          row = @connection.row(
            "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token.b
          )
          row ? all_places(field, token, *row) : "".b
        end

        # @return [Array<Array(String, String)>] each term of a field, with its places
        def terms(field)
          rows = @connection.rows(
            "SELECT token, term, documents, chunks, places, checksum FROM terms WHERE field = ?", field
          )
          raise damaged if rows.size != counts(field).terms

          rows.map { |token, *row| [token, all_places(field, token, *row)] }
        end

        # @return [Hash{Integer=>Integer}] document frequency → the number of terms that have it
        def frequencies(field)
          rows = @connection.rows("SELECT documents, terms, checksum FROM frequencies WHERE field = ?", field)
          found = rows.to_h do |documents, terms, checksum|
            check(checksum, [field, documents, terms])
            [documents, terms]
          end
          raise damaged if found.values.sum != counts(field).terms # whole numbers

          found
        end

        # @param field [Integer] the key of a field
        # @param documents [Array<Integer>] document frequencies
        # @return [Hash{Integer=>Integer}] document frequency → the number of terms that have it, without those of none
        def frequencies_of(field, documents)
          statement = "SELECT documents, terms, checksum FROM frequencies WHERE field = ? AND documents IN (%s)"
          rows_of(statement, documents, field).to_h do |frequency, terms, checksum|
            check(checksum, [field, frequency, terms])
            [frequency, terms]
          end
        end

        # @param field [Integer] the key of a field
        # @param known [Hash{Integer=>Integer}] the blocks that are not needed, by number
        # @param changed [Array<Integer>, nil] the numbers of all others that there can be; nil if they are not known
        # @return [Array<Array(Integer, String)>] the other blocks of the field's lengths, with the number of each
        def lengths(field, known, changed)
          rows = changed ? [] : @connection.rows("SELECT block FROM lengths WHERE block BETWEEN ? AND ?", *keys(field))
          changed ||= rows.map { |block,| block & LOW }.reject { |block| known.key?(block) }
          found = changed.filter_map { |block| (lengths = length_block(field, block)) && [block, lengths] }
          known.size + found.size == counts(field).blocks ? found : raise(damaged)
        end

        # @param field [Integer] the key of the field
        # @param blocks [Array<Integer>] the numbers of blocks, each of which must exist
        # @return [Array<Array(Integer, Integer, String)>] blocks of lengths, each with its field and number
        def length_blocks(field, blocks)
          blocks.map do |block|
            lengths = length_block(field, block)
            raise damaged if lengths.nil?

            [field, block, lengths]
          end
        end

        # @return [String, nil] a block of lengths
        def length_block(field, block)
          place = key(field, block)
          row = @connection.row("SELECT lengths, checksum FROM lengths WHERE block = ?", place)
          row && sound(*row, place)
        end

        # @return [Array<Array(Integer, Integer)>] the keys of a field's blocks of sketches, and the generation of the
        #   last change of each
        def sketch_generations(field)
          rows = @connection.rows(
            "SELECT block, generation FROM sketches WHERE block BETWEEN ? AND ? ORDER BY block", *keys(field)
          )
          rows.map { |block, generation| [block & LOW, generation] }
        end

        # @return [SketchBlock, nil] a block of sketches
        def sketches(field, block, dimension)
          place = key(field, block)
          row = @connection.row(
            "SELECT generation, ratios, errors, steps, checksum FROM sketches WHERE block = ?", place
          )
          return nil if row.nil?

          *parts, checksum = row
          check(checksum, [place, parts[0]], *parts[1..])
          raise damaged if parts[1..].join.bytesize != SqliteSchema::VECTORS_IN_BLOCK * (16 + dimension)

          SketchBlock.new(block, *parts)
        end

        # @param content [String] the only blob of a row
        # @param checksum [Integer] the checksum of the row
        # @param integers [Array<Integer>] the other values of the row
        # @return [String] the blob, if the row is unchanged
        def sound(content, checksum, *integers)
          check(checksum, integers, content)
          content
        end

        # Raise an error unless a row is unchanged.
        #
        # @return [void]
        def check(checksum, integers, *contents)
          raise damaged unless Tables::RowChecksum.of(integers, *contents) == checksum
        rescue ::TypeError
          raise damaged
        end

        # @return [String] the places in blobs of unchanged rows, one blob after the other
        def unpacked_places(packed)
          unpacked { SqlitePacking.unpack_places(packed) }
        end

        # @return [Array(Array<Integer>, Array<Integer>)] the numbers of the last documents, and the numbers of places,
        #   in blobs of unchanged rows
        def last_numbers(packed)
          unpacked { SqlitePacking.last_numbers(packed) }
        end

        # Raise an error if the key of a term, which no checksum covers, cannot have chunks.
        #
        # @return [void]
        def check_term(term)
          raise damaged unless term.positive? && term < 1 << (Tables::Blobs::NUMBER_BITS - 1)
        end

        # @return [IndexCorruptError] the error of a file whose contents differ from what was written
        def damaged
          SqliteErrors.damaged(@path)
        end

        private

        def unpacked
          yield
        rescue ::ArgumentError
          raise damaged
        end

        # Return the rows of many keys, read in groups.
        def rows_of(statement, keys, *first_values)
          keys.each_slice(AT_ONCE).flat_map do |some|
            size = some.size == 1 ? 1 : AT_ONCE
            asked = format(statement, (["?"] * size).join(", "))
            @connection.rows(asked, *first_values, *some, *Array.new(size - some.size, -1))
          end
        end

        def text_of(content)
          content.force_encoding(::Encoding::UTF_8).freeze
        end

        def fields_where(statement, *values)
          @connection.rows(statement, *values).map do |*row, checksum|
            field, kind, name, *counts = row
            check(checksum, [field, kind, *counts], name)
            SqliteField.new(*row)
          end
        end

        def counts(field)
          fields_where("#{A_FIELD} WHERE field = ?", field)[0] || raise(damaged)
        end

        def all_places(field, token, term, documents, chunks, places, checksum)
          check(checksum, [field, documents, chunks], token, places)
          return unpacked_places([places]) if chunks.zero?

          check_term(term)
          rows = @connection.rows(
            "SELECT places, checksum, chunk FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk", *keys(term)
          )
          raise damaged if rows.size != chunks

          unpacked_places([*rows.map { |row| sound(*row) }, places])
        end

        def key(high, low)
          (high << Tables::Blobs::NUMBER_BITS) + low
        end

        # Return the lowest and the highest key of a term or a field.
        def keys(high)
          [key(high, 0), key(high, LOW)]
        end
      end
    end
  end
end
