# frozen_string_literal: true

module HybridSearch
  module Storing
    # A document but the components of its vectors.
    class DocumentRow
      include ShortInspect

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
      include ShortInspect

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
        @places = {}
        @expected = [[], []]
      end

      # @return [Hash{String=>FieldRow}] name → field, of all that documents have ever had
      def fields
        @fields ||= @connection.rows("fields").to_h do |field, name, documents, tokens|
          name = text(name)
          [name, FieldRow.new(field, name, documents, tokens)]
        end
      end

      # @return [Hash{String=>String}] vector field → the name of the model that made its vectors
      def vector_models
        @connection.rows("vector_models").to_h { |field, model| [text(field), text(model)] }
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
        keys = identifiers.to_h { |identifier| [PostgresKeys.key(identifier), identifier] }
        @connection.rows("numbers", keys.keys).to_h.transform_keys(keys)
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
      # @return [Array<StoredDocument>] some documents, with their vectors
      def stored_at(numbers)
        numbers.empty? ? [] : stored(documents(numbers))
      end

      # @return [Array<StoredDocument>] all documents, with their vectors
      def all_stored
        all_documents.flat_map { |rows| stored(rows) }
      end

      # @param names [Array<String>] of vector fields
      # @param numbers [Array<Integer>]
      # @return [Hash{Array(String, Integer)=>Array<Float>}] field and number → the vector of a document
      def vectors(names, numbers)
        known = names.filter_map { |name| fields[name] }.to_h { |row| [row.field, row.name] }
        return {} if known.empty?

        @connection.rows("vectors", known.keys, numbers).to_h do |field, number, _, exact, screen|
          [[known[field], number], PostgresTables.components(exact, screen)]
        end
      end

      # @param field [Integer] its key
      # @return [Array<Array(Integer, String)>] blocks of lengths, each with the number of its first document
      def lengths(field)
        @connection.rows("lengths", [field]).map { |_, block, lengths| [block * Blobs::LENGTHS_IN_BLOCK, lengths] }
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
        known = vectors(rows.flat_map(&:vector_fields).uniq, rows.map(&:number))
        rows.map do |row|
          own = row.vector_fields.to_h { |name| [name, known[[name, row.number]]] }
          StoredDocument.new(row.identifier, row.fields, own)
        end
      end

      def read_places(fields, tokens)
        return if fields.empty? || tokens.empty?

        written = tokens.to_h { |token| [PostgresKeys.key(token), token.b] }
        fields.product(written.values) { |key| @places[key] = "".b }
        rows = @connection.rows("terms", fields, written.keys)
        before = chunks(rows.filter_map { |_, _, term, chunks, _| term if chunks.positive? })
        rows.each { |field, key, term, _, last| @places[[field, written[key]]] = before[term].join << last }
      end

      def chunks(terms)
        found = Hash.new { |known, term| known[term] = ["".b] }
        @connection.rows("postings", terms).each { |term, places| found[term] << places } unless terms.empty?
        found
      end

      def document(number, identifier, body)
        content = StoredJson.read(body)
        DocumentRow.new(number, text(identifier), content["fields"], content["vectors"])
      end

      def text(written)
        written.force_encoding(::Encoding::UTF_8).freeze
      end
    end
  end
end
