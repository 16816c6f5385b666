# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Reads the tables of a collection in PostgreSQL in one state, as a transaction sees them (PG-1).
      class PostgresTables
        include Base::ShortInspect

        # The number of documents that are read together when all are read.
        AT_ONCE = 500
        # The number of columns of a document, before those of one of its vectors.
        DOCUMENT = 3
        # The number of bytes before the components in a vector that the server sends.
        SCREEN_HEADER = 4
        private_constant :AT_ONCE, :DOCUMENT, :SCREEN_HEADER

        # @return [PostgresConnection] a connection with an open transaction
        attr_reader :connection
        # @return [Integer] the number of batches that have changed something
        attr_reader :generation
        # @return [String] a value that differs after each change
        attr_reader :state
        # @return [Integer] the number of documents
        attr_reader :count
        # @return [Integer] a number above all numbers of documents
        attr_reader :numbers
        # @return [Integer] a number above all keys of terms
        attr_reader :terms
        # @return [Array<Integer>] the lowest unused numbers below {#numbers}, as many as a batch may need; read only
        #   for a batch
        attr_reader :free_numbers

        # @param exact [String, nil] the components as 64-bit floats, or nil
        # @param screen [String, nil] the components as 32-bit floats in the server's binary format, used if `exact` is
        #   nil
        # @return [Array<Float>] the components of a stored vector
        def self.components(exact, screen)
          (exact ? exact.unpack("E*") : screen.byteslice(SCREEN_HEADER..).unpack("g*")).freeze
        end

        # @param connection [PostgresConnection] a connection with an open transaction
        # @param row [Array] the metadata of the collection
        # @param known [PostgresState, nil] the data that earlier transactions have read; nil if there is none
        def initialize(connection, row, known = nil)
          @connection = connection
          @known = known
          _, @generation, @state, @count, @numbers, @terms = row
          @free_numbers = []
          @places = {}
          @expected = [[], []]
          @expected_fields = []
        end

        # @return [Hash{String=>Tables::FieldRow}] name → field, for all fields that documents have ever had
        def fields
          @fields ||= @known ? @known.fields(self) : PostgresState.fields_of(@connection.rows("fields"))
        end

        # @return [Hash{String=>VectorSource}] the stored sources of vector fields
        def sources
          @known ? @known.sources(self) : PostgresState.sources_of(@connection.rows("sources"))
        end

        # @return [Hash{String=>Integer}] vector field → the number of documents that have it
        def vector_counts
          fields.select { |name, _| Documents::StoredDocument.vector_field?(name) }.transform_values(&:documents)
        end

        # @param name [String]
        # @return [Boolean] whether a document has a vector in a field
        def holds_vectors?(name)
          row = fields[name]
          !row.nil? && row.documents.positive?
        end

        # @param identifiers [Array<String>]
        # @return [Hash{String=>Integer}] the ids and numbers of those documents that are stored
        def numbers_of(identifiers)
          keys = keys_of(identifiers)
          @connection.rows("numbers", keys.keys).to_h.transform_keys(keys)
        end

        # Return the result of {#numbers_of} before a batch is written; fields and free numbers are read as well.
        #
        # @param identifiers [Array<String>]
        # @return [Hash{String=>Integer}]
        def numbers_in_batch(identifiers)
          keys = keys_of(identifiers)
          questions = [["numbers", keys.keys], ["fields"], ["free_numbers", keys.size]]
          numbers, fields, free = @connection.together(*questions)
          @fields = PostgresState.fields_of(fields)
          @free_numbers = free.flatten
          numbers.to_h.transform_keys(keys)
        end

        # @param numbers [Array<Integer>]
        # @return [Hash{Integer=>String}] the numbers and ids of documents
        def identifiers_of(numbers)
          @connection.rows("identifiers", numbers).to_h.transform_values { |identifier| text(identifier) }
        end

        # @return [Hash{Integer=>String}] the numbers and ids of all documents
        def identifiers
          @connection.rows("all_identifiers").to_h.transform_values { |identifier| text(identifier) }
        end

        # @param offset [Integer] the number of documents to skip
        # @param limit [Integer] the maximum number of documents to return
        # @param start [String] the UTF-8 text of the lowest possible id
        # @param among [String, nil] the name of the statement that selects documents; nil for all
        # @param values [Array<Object>] the parameters of that statement
        # @return [Hash{String=>Integer}] the ids and numbers of documents in the order of ids
        def listed(offset, limit, start, among, values)
          text = @connection.statements.text("listed", among: among && @connection.statements.text(among, place: 4))
          rows = @connection.rows_of(text, [offset, limit, start, *values])
          rows.to_h { |number, identifier| [text(identifier), number] }
        end

        # Return the sorted numbers of documents as 32-bit big-endian integers.
        #
        # @param order [PostgresOrder] the order
        # @param among [String, nil] the name of the statement that selects documents; nil for all
        # @param values [Array<Object>] the parameters of that statement
        # @return [String, nil] nil if a document's attributes could not be stored, so that the server cannot sort it
        def ordered(order, among, values)
          among &&= @connection.statements.text(among, place: order.values.size + 1)
          text = @connection.statements.text("ordered", order: order.text, among:)
          unclear, numbers = @connection.rows_of(text, [*order.values, *values])[0]
          unclear ? nil : numbers.to_s
        end

        # @param numbers [Array<Integer>]
        # @return [Array<Tables::DocumentRow>] documents by their numbers
        def documents(numbers)
          @connection.rows("documents", numbers).map { |row| document(*row) }
        end

        # @param numbers [Array<Integer>]
        # @return [Array(Array<Tables::DocumentRow>, Array<Array>)] documents by their numbers, and their vectors as
        #   rows: field, number, norm and components
        def changed(numbers)
          fields = self.fields.each_value.select { |row| row.name.end_with?("_vec") }.map(&:field)
          rows = @connection.rows("changed_documents", numbers, fields)
          vectors = rows.select { |row| row[DOCUMENT] }.map { |row| [row[DOCUMENT], row[0], *row[DOCUMENT + 1..]] }
          documents = rows.uniq(&:first) # there is a row for each vector
          [documents.map { |row| document(*row[...DOCUMENT]) }, vectors]
        end

        # @return [Enumerator<Array<Tables::DocumentRow>>] all documents in parts
        def all_documents
          Enumerator.new do |parts|
            last = -1
            until (rows = @connection.rows("next_documents", last, AT_ONCE)).empty?
              parts << rows.map { |row| document(*row) }
              last = rows[-1][0]
            end
          end
        end

        # @param numbers [Array<Integer>]
        # @return [Array<Documents::StoredDocument>] documents with their vectors by their numbers
        def stored_at(numbers)
          return [] if numbers.empty?

          known = fields.each_value.select { |row| row.name.end_with?("_vec") }.to_h { |row| [row.field, row.name] }
          rows, vectors = @connection.together(["documents", numbers], ["vectors", known.keys, numbers])
          with_vectors(rows.map { |row| document(*row) }, vectors_of(vectors, known))
        end

        # @return [Array<Documents::StoredDocument>] all documents with their vectors
        def all_stored
          all_documents.flat_map { |rows| stored(rows) }
        end

        # @param names [Array<String>] the names of vector fields
        # @param numbers [Array<Integer>]
        # @return [Hash{Array(String, Integer)=>Array<Float>}] field and number of a document → its vector
        def vectors(names, numbers)
          known = names.filter_map { |name| fields[name] }.to_h { |row| [row.field, row.name] }
          return {} if known.empty?

          vectors_of(@connection.rows("vectors", known.keys, numbers), known)
        end

        # @param _field [Integer] the key of the field
        # @return [Array] empty: the documents with a token are counted by the writers
        def lengths(_field, _known, _changed)
          []
        end

        # @param field [Integer] the key of the field
        # @param blocks [Array<Integer>] the numbers of blocks
        # @return [Array<Array(Integer, Integer, String)>] blocks of lengths, each with its field and number: of the
        #   field and of all announced ones
        def length_blocks(field, blocks)
          @connection.rows("lengths", [field, *@expected_fields].uniq.sort, blocks)
        end

        # Return the numbers of the documents that have changed since a state, ascending.
        #
        # @param generation [Integer] the generation in that state
        # @param state [String] the state
        # @return [Array<Integer>, nil] nil if they are not known, or too many
        def touched_since(generation, state)
          (_, known,), *later = @known&.changes(self, generation) || @connection.rows("changes", generation)
          return nil if known != state || later.size != @generation - generation

          touched = {}
          later.each do |_, _, numbers|
            return nil if numbers.nil? || touched.size > Tables::DocumentChanges::MOST_TOUCHED

            Tables::Blobs.unpack_lengths(numbers).each { |number| touched[number] = true }
          end
          touched.keys.sort
        end

        # @param field [Integer] the key of the field
        # @return [Hash{Integer=>Integer}] document frequency → the number of terms with that frequency
        def frequencies(field)
          @connection.rows("frequencies", field).to_h
        end

        # Announce the terms whose positions may be requested; the first request reads all of them.
        #
        # @param fields [Array<Integer>] the fields of the terms
        # @param tokens [Array<String>] the terms
        # @return [void]
        def expect_places(fields, tokens)
          @expected = [fields, tokens]
          @expected_fields = fields
        end

        # @param field [Integer] the key of the field
        # @param token [String]
        # @return [String] the positions of a term, ascending
        def places(field, token)
          key = [field, token.b]
          unless @places.key?(key)
            read_places(*@expected)
            @expected = [[], []]
          end
          read_places([field], [token]) unless @places.key?(key)
          @places[key]
        end

        private

        def stored(rows)
          with_vectors(rows, vectors(rows.flat_map(&:vector_fields).uniq, rows.map(&:number)))
        end

        def read_places(fields, tokens)
          return if fields.empty? || tokens.empty?

          written = tokens.to_h { |token| [PostgresKeys.key(token), token.b] }
          fields.product(written.values) { |key| @places[key] = "".b }
          @connection.rows("terms", fields, written.keys.sort).each do |field, key, places|
            @places[[field, written[key]]] = places
          end
        end

        def keys_of(identifiers)
          identifiers.to_h { |identifier| [PostgresKeys.key(identifier), identifier] }
        end

        def vectors_of(rows, names)
          rows.to_h do |field, number, _, exact, screen|
            [[names[field], number], PostgresTables.components(exact, screen)]
          end
        end

        def with_vectors(rows, vectors)
          rows.map do |row|
            own = row.vector_fields.to_h { |name| [name, vectors[[name, row.number]]] }
            Documents::StoredDocument.new(row.identifier, row.fields, own)
          end
        end

        def document(number, identifier, body)
          content = Documents::StoredJson.read(body)
          Tables::DocumentRow.new(number, text(identifier), content["fields"], content["vectors"])
        end

        def text(written)
          PostgresState.text(written)
        end
      end
    end
  end
end
