# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # A document but the components of its vectors.
      class DocumentRow
        include Base::ShortInspect

        # @return [Integer] its number
        attr_reader :number
        # @return [String] its id
        attr_reader :identifier
        # @return [Hash{String=>Object}] its fields but its vectors
        attr_reader :fields
        # @return [Array<String>] the names of its vector fields
        attr_reader :vector_fields

        def initialize(number, identifier, fields, vector_fields)
          @number = number
          @identifier = identifier
          @fields = fields
          @vector_fields = vector_fields
          freeze
        end
      end

      # Reads the tables of a collection in PostgreSQL, in one state of it (PG-1), as a transaction sees them.
      class PostgresTables
        include Base::ShortInspect

        # How many documents are read at once where all are wanted.
        AT_ONCE = 500
        # How many bytes come before the components that the server sends of a vector.
        SCREEN_HEADER = 4
        private_constant :AT_ONCE, :SCREEN_HEADER

        # @return [PostgresConnection] one with an open transaction
        attr_reader :connection
        # @return [Integer] how many batches have changed something
        attr_reader :generation
        # @return [String] another one after each change
        attr_reader :state
        # @return [Integer] how many documents there are
        attr_reader :count
        # @return [Integer] all numbers of documents are below
        attr_reader :numbers
        # @return [Integer] all keys of terms are below
        attr_reader :terms
        # @return [Array<Integer>] the lowest numbers below that no document has, as many as a batch may need; before
        #   one alone
        attr_reader :free_numbers
        # What another transaction has read of the same state.
        attr_writer :fields

        # @param exact [String, nil] the components of a vector as floats of 64 bits
        # @param screen [String, nil] as floats of 32 bits, as the server sends them, where there is no other
        # @return [Array<Float>] the components
        def self.components(exact, screen)
          (exact ? exact.unpack("E*") : screen.byteslice(SCREEN_HEADER..).unpack("g*")).freeze
        end

        # @param connection [PostgresConnection] one with an open transaction
        # @param row [Array] what is noted of the collection
        def initialize(connection, row)
          @connection = connection
          _, @generation, @state, @count, @numbers, @terms = row
          @free_numbers = []
          @places = {}
          @expected = [[], []]
        end

        # @return [Hash{String=>Tables::FieldRow}] name → field, of all that documents have ever had
        def fields
          @fields ||= fields_of(@connection.rows("fields"))
        end

        # @return [Hash{String=>VectorSource}] what is kept of vector fields
        def sources
          @connection.rows("sources").to_h do |field, model, origin|
            [text(field), VectorSource.new(model && text(model), origin)]
          end
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
        # @return [Hash{String=>Integer}] the ids and numbers of those of some documents that are stored
        def numbers_of(identifiers)
          keys = keys_of(identifiers)
          @connection.rows("numbers", keys.keys).to_h.transform_keys(keys)
        end

        # As {#numbers_of}, before a batch of these documents is written; fields and free numbers are read with them.
        #
        # @param identifiers [Array<String>]
        # @return [Hash{String=>Integer}]
        def numbers_in_batch(identifiers)
          keys = keys_of(identifiers)
          questions = [["numbers", keys.keys], ["fields"], ["free_numbers", keys.size]]
          numbers, fields, free = @connection.together(*questions)
          @fields = fields_of(fields)
          @free_numbers = free.flatten
          numbers.to_h.transform_keys(keys)
        end

        # @param numbers [Array<Integer>]
        # @return [Hash{Integer=>String}] the numbers and ids of some documents
        def identifiers_of(numbers)
          @connection.rows("identifiers", numbers).to_h.transform_values { |identifier| text(identifier) }
        end

        # @return [Hash{Integer=>String}] the numbers and ids of all documents
        def identifiers
          @connection.rows("all_identifiers").to_h.transform_values { |identifier| text(identifier) }
        end

        # @param offset [Integer] how many are passed over
        # @param limit [Integer] how many are given
        # @param start [String] UTF-8 of the first id that may be among them
        # @param among [String, nil] the statement that leaves out others
        # @param values [Array<Object>] its parameters
        # @return [Hash{String=>Integer}] the ids and numbers of some documents, in the order of ids
        def listed(offset, limit, start, among, values)
          text = @connection.statements.text("listed", among: among && @connection.statements.text(among, place: 4))
          rows = @connection.rows_of(text, [offset, limit, start, *values])
          rows.to_h { |number, identifier| [text(identifier), number] }
        end

        # @param order [PostgresOrder] what they are ordered by
        # @param among [String, nil] the statement that leaves out others
        # @param values [Array<Object>] its parameters
        # @return [String, nil] the numbers of documents in an order, each of 32 bits, highest byte first; nil where one
        #   has no attributes
        def ordered(order, among, values)
          among &&= @connection.statements.text(among, place: order.values.size + 1)
          text = @connection.statements.text("ordered", order: order.text, among:)
          unclear, numbers = @connection.rows_of(text, [*order.values, *values])[0]
          unclear ? nil : numbers.to_s
        end

        # @param numbers [Array<Integer>]
        # @return [Array<DocumentRow>] some documents
        def documents(numbers)
          @connection.rows("documents", numbers).map { |row| document(*row) }
        end

        # @return [Enumerator<Array<DocumentRow>>] all documents, part by part
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
        # @return [Array<Documents::StoredDocument>] some documents, with their vectors
        def stored_at(numbers)
          return [] if numbers.empty?

          known = fields.each_value.select { |row| row.name.end_with?("_vec") }.to_h { |row| [row.field, row.name] }
          rows, vectors = @connection.together(["documents", numbers], ["vectors", known.keys, numbers])
          with_vectors(rows.map { |row| document(*row) }, vectors_of(vectors, known))
        end

        # @return [Array<Documents::StoredDocument>] all documents, with their vectors
        def all_stored
          all_documents.flat_map { |rows| stored(rows) }
        end

        # @param names [Array<String>] of vector fields
        # @param numbers [Array<Integer>]
        # @return [Hash{Array(String, Integer)=>Array<Float>}] field and number → the vector of a document
        def vectors(names, numbers)
          known = names.filter_map { |name| fields[name] }.to_h { |row| [row.field, row.name] }
          return {} if known.empty?

          vectors_of(@connection.rows("vectors", known.keys, numbers), known)
        end

        # @param field [Integer] its key
        # @return [Array<Array(Integer, String)>] blocks of lengths, each with the number of its first document
        def lengths(field)
          @connection.rows("lengths", [field]).map do |_, block, lengths|
            [block * Tables::Blobs::LENGTHS_IN_BLOCK, lengths]
          end
        end

        # @param field [Integer] its key
        # @return [Hash{Integer=>Integer}] in how many documents terms are → how many terms are in so many
        def frequencies(field)
          @connection.rows("frequencies", field).to_h
        end

        # Tell of which terms places may be asked: once one of them is, all are read.
        #
        # @param fields [Array<Integer>] in which they may be
        # @param tokens [Array<String>] the terms
        # @return [void]
        def expect_places(fields, tokens)
          @expected = [fields, tokens]
        end

        # @param field [Integer] its key
        # @param token [String]
        # @return [String] the places of a term, ascending
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
          @connection.rows("terms", fields, written.keys).each do |field, key, places|
            @places[[field, written[key]]] = places
          end
        end

        def keys_of(identifiers)
          identifiers.to_h { |identifier| [PostgresKeys.key(identifier), identifier] }
        end

        def fields_of(rows)
          rows.to_h do |field, name, documents, tokens|
            name = text(name)
            [name, Tables::FieldRow.new(field, name, documents, tokens)]
          end
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
          DocumentRow.new(number, text(identifier), content["fields"], content["vectors"])
        end

        def text(written)
          written.force_encoding(::Encoding::UTF_8).freeze
        end
      end
    end
  end
end
