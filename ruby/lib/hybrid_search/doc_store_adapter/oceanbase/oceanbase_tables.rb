# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # Reads the tables of a collection in OceanBase in one state, as a transaction sees them (OB-1).
      class OceanBaseTables
        include Base::ShortInspect

        # The number of documents that are read together.
        PART = 500
        AVAILABILITY = "available_int"
        # The condition that every document meets.
        EVERYTHING = "true"

        # @return [OceanBaseConnection] a connection with an open transaction
        attr_reader :connection
        # @return [Integer] the number of batches that have changed something
        attr_reader :generation
        # @return [Integer] the number of documents
        attr_reader :count
        # @return [Integer] a number above all numbers of documents
        attr_reader :numbers

        class << self
          # @param packed [String] a stored vector
          # @param dimension [Integer] the number of its components
          # @return [Array<Float>] the components
          def components(packed, dimension)
            packed.unpack(packed.bytesize == 4 * dimension ? "e*" : "E*").freeze
          end

          # @param document [Documents::StoredDocument, nil]
          # @param numbers [Hash{String=>Integer}] name of a field → its number
          # @return [Hash{Integer=>Array<String>}] number of a searchable field → its tokens in a document
          def token_fields(document, numbers)
            return {} if document.nil?

            searched = document.fields.select { |name, _| Documents::StoredDocument.searchable?(name) }
            searched.to_h { |name, value| [numbers.fetch(name), Documents::StoredDocument.tokens(name, value)] }
          end

          # @param document [Documents::StoredDocument, nil]
          # @return [Array<String>] the names of the counted fields of a document: searchable ones, vectors and
          #   availability
          def held_fields(document)
            return [] if document.nil?

            names = document.fields.keys.select do |name|
              Documents::StoredDocument.searchable?(name) || name == AVAILABILITY
            end
            names + document.vectors.keys
          end
        end

        # @param connection [OceanBaseConnection] a connection with an open transaction
        # @param row [Array] the metadata of the collection
        def initialize(connection, row)
          @connection = connection
          _, @generation, @count, @numbers = row
          @conditions = {}
        end

        # @return [Integer] the generation, since nothing is cached from one transaction to the next
        def state
          @generation
        end

        # @return [Hash{String=>Tables::FieldRow}] name → field, for all counted fields that documents have ever had
        def fields
          @fields ||= @connection.rows("fields").to_h do |field, name, documents, tokens, filled|
            [text(name), Tables::FieldRow.new(field, text(name), documents, tokens, filled)]
          end
        end

        # @return [Hash{String=>VectorSource}] the stored sources of vector fields
        def sources
          @connection.rows("models").to_h do |dimension, model, origin|
            [Documents::StoredFields.vector_field(dimension), VectorSource.new(model && text(model), origin)]
          end
        end

        # @return [Hash{String=>Integer}] vector field → the number of documents that have it
        def vector_counts
          fields.select { |name, _| Documents::StoredDocument.vector_field?(name) }.transform_values(&:documents)
        end

        # @param name [String]
        # @return [Boolean] whether a document has a vector in a field
        def holds_vectors?(name)
          documents_with(name).positive?
        end

        # @param name [String] a counted field
        # @return [Integer] the number of documents that have it
        def documents_with(name)
          fields[name]&.documents || 0
        end

        # @param identifiers [Array<String>]
        # @return [Hash{String=>Integer}] the ids and numbers of those documents that are stored
        def numbers_of(identifiers)
          rows = parts(identifiers) { |part| @connection.rows("numbers", ids: OceanBaseStatements.row(part)) }
          rows.to_h.transform_keys { |identifier| text(identifier) }
        end

        # @param numbers [Array<Integer>]
        # @return [Array<Tables::DocumentRow>] documents by their numbers
        def documents(numbers)
          rows = parts(numbers) { |part| @connection.rows("documents", numbers: OceanBaseStatements.row(part)) }
          rows.map { |row| document(*row) }
        end

        # @return [Enumerator<Array<Tables::DocumentRow>>] all documents in parts
        def all_documents
          Enumerator.new do |parts|
            last = -1
            until (rows = @connection.rows("next_documents", last:, limit: PART)).empty?
              parts << rows.map { |row| document(*row) }
              last = rows[-1][0]
            end
          end
        end

        # @param numbers [Array<Integer>]
        # @return [Array<Documents::StoredDocument>] documents with their vectors by their numbers
        def stored_at(numbers)
          with_vectors(documents(numbers))
        end

        # @return [Array<Documents::StoredDocument>] all documents with their vectors
        def all_stored
          all_documents.flat_map { |rows| with_vectors(rows) }
        end

        # @param name [String] a vector field
        # @param numbers [Array<Integer>]
        # @return [Hash{Integer=>Array<Float>}] number of a document → its vector in the field
        def vectors(name, numbers)
          return {} unless holds_vectors?(name)

          dimension = Documents::StoredDocument.vector_dimension("field", name)
          rows = parts(numbers) do |part|
            @connection.rows("vectors", dimension:, numbers: OceanBaseStatements.row(part))
          end
          rows.to_h.transform_values { |packed| OceanBaseTables.components(packed, dimension) }
        end

        # @param tokens [Array<String>] encoded tokens
        # @return [Array<Array(String, Array<Integer>, Integer)>] for each of these tokens, and each set of fields, the
        #   number of documents with it in these fields
        def holding(tokens)
          rows = parts(tokens) { |part| @connection.rows("tokens", tokens: OceanBaseStatements.row(part)) }
          rows.map { |token, fields, documents| [text(token), fields.split(",").map(&:to_i), documents] }
        end

        # Check conditions that the server cannot decide in the library first; the condition then names the documents.
        #
        # @param filters [AdapterKit::Filters]
        # @return [String] the condition of a statement that finds the documents that pass filters
        def condition(filters)
          @conditions[filters.key] ||= made_condition(filters)
        end

        # @param filters [AdapterKit::Filters]
        # @return [Boolean] whether all documents certainly pass filters
        def passes_all?(filters)
          filters.empty? || (filters.ask_availability_alone? && !holds_vectors?(AVAILABILITY))
        end

        # @param condition [String]
        # @return [Integer] the number of documents for which a condition holds
        def counted(condition)
          condition == EVERYTHING ? @count : @connection.rows("count", filter: condition)[0][0]
        end

        private

        def made_condition(filters)
          return EVERYTHING if passes_all?(filters)

          written = OceanBaseFilters.new(filters, @connection.statements, holds_vectors?(AVAILABILITY))
          return written.text unless written.compares_texts?

          cut = @connection.rows("cut_documents").map { |row| document(*row) }
          "(d.cut = 0 and (#{written.text})) or #{among(accepted(filters, cut))}"
        rescue UndecidedError
          among(all_documents.flat_map { |rows| accepted(filters, rows) })
        end

        def accepted(filters, rows)
          rows.select { |row| filters.accepts?(row.identifier, row.fields, row.vector_fields) }.map(&:number)
        end

        def among(numbers)
          return "false" if numbers.empty?

          @connection.statements.text("among", numbers: OceanBaseStatements.row(numbers))
        end

        def with_vectors(rows)
          names = rows.flat_map(&:vector_fields).uniq.sort
          vectors = names.to_h do |name|
            [name, vectors(name, rows.select { |row| row.vector_fields.include?(name) }.map(&:number))]
          end
          rows.map do |row|
            own = row.vector_fields.to_h { |name| [name, vectors.fetch(name).fetch(row.number)] }
            Documents::StoredDocument.new(row.identifier, row.fields, own)
          end
        end

        def parts(members, &)
          members.each_slice(PART).flat_map(&)
        end

        def document(number, identifier, body)
          content = Documents::StoredJson.read(text(body))
          Tables::DocumentRow.new(number, text(identifier), content["fields"], content["vectors"])
        end

        def text(written)
          written.dup.force_encoding(Encoding::UTF_8)
        end
      end
    end
  end
end
