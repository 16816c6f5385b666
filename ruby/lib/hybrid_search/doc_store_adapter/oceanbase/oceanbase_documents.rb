# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # Returns the documents in each state of a store's tables (OB-2); nothing is cached from one search to the next.
      class OceanBaseDocuments
        include Base::ShortInspect

        # @param approximate [Boolean] whether indexes of approximate nearest neighbours are used
        def initialize(approximate)
          @approximate = approximate
        end

        # @param tables [OceanBaseTables]
        # @return [OceanBaseIndex] the documents in the current state of the tables
        def state(tables)
          OceanBaseIndex.new(tables, @approximate)
        end
      end

      # The documents in one state of the tables, for one call; the methods are those of {Snapshot::DocumentIndex}
      # except `changed`. Only what a search needs is read.
      class OceanBaseIndex
        include Base::ShortInspect

        # @param tables [OceanBaseTables] the tables as a transaction sees them
        # @param approximate [Boolean] whether indexes of approximate nearest neighbours are used
        def initialize(tables, approximate)
          @tables = tables
          @approximate = approximate
          @rows = {}
          @vectors = {}
        end

        # @return [Integer] the number of documents
        def count
          @tables.count
        end

        # @return [Hash{String=>Object}, nil] the fields of a document except its vectors
        def fields(identifier)
          row(identifier)&.fields
        end

        # @return [Array<Float>, nil] the vector of a document in a field
        def vector(identifier, field)
          row = row(identifier)
          return nil unless row&.vector_fields&.include?(field)

          read_vectors([row], field)
          @vectors.fetch([identifier, field])
        end

        # @return [Documents::StoredDocument, nil] a document
        def stored(identifier)
          row = row(identifier)
          return nil if row.nil?

          vectors = row.vector_fields.to_h { |field| [field, vector(identifier, field)] }
          Documents::StoredDocument.new(identifier, row.fields, vectors)
        end

        # @return [Enumerator::Lazy] for each document the fields except vectors, and the names of the vector fields
        def entries
          @tables.all_documents.lazy.flat_map { |rows| rows.map { |row| [row.fields, row.vector_fields] } }
        end

        # @return [Array<String>] the ids of the documents that pass filters
        def passing(filters)
          texts(@tables.connection.rows("passing", filter: @tables.condition(filters)))
        end

        # @return [Boolean] whether all documents certainly pass filters
        def passes_all?(filters)
          @tables.passes_all?(filters)
        end

        # @return [Array<Array(String, Float)>] the documents that match a text query
        def text_leg(query, filters)
          OceanBaseCandidates.new(@tables, query, filters).leg
        end

        # @return [Array<Array(String, Float)>] the documents that contain a token of a bag
        def bm25f_leg(query, filters)
          OceanBaseCandidates.new(@tables, query, filters).leg
        end

        # @return [Snapshot::LegHead] the first hundred documents of that leg
        def bm25f_head(query, filters)
          OceanBaseCandidates.new(@tables, query, filters).head
        end

        # @return [Array<Array(String, Float)>] the documents nearest to a vector
        def dense_leg(query, filters)
          return [] if query.topn.zero? || !@tables.holds_vectors?(query.field)

          nearest = OceanBaseVectors.new(@tables, query, filters, @approximate)
          ranking = nearest.leg
          nearest.read.each { |identifier, vector| @vectors[[identifier, query.field]] = vector }
          ranking
        end

        # @return [Array<Object, nil>] the values of documents at a path
        def values(path, identifiers)
          expect(identifiers, [])
          identifiers.map { |identifier| path.value(fields(identifier) || {}) }
        end

        # Any order but that of ids reads all documents that pass.
        #
        # @return [Queries::DocumentListing] a slice of the documents that pass filters
        def listing(filters, order, offset, limit)
          unless order.empty?
            return Queries::DocumentListing.of(passing(filters), order, offset, limit, &method(:values))
          end

          condition = @tables.condition(filters)
          total = @tables.counted(condition)
          values = { filter: condition, limit: [limit, total].min, offset: [offset, total].min }
          Queries::DocumentListing.new(total, texts(@tables.connection.rows("listed", **values)))
        end

        # Read documents that will be needed.
        #
        # @return [void]
        def expect(identifiers, vector_fields)
          missing = identifiers.reject { |identifier| @rows.key?(identifier) }
          unless missing.empty?
            missing.each { |identifier| @rows[identifier] = nil }
            @tables.documents(@tables.numbers_of(missing).values).each { |row| @rows[row.identifier] = row }
          end
          found = identifiers.filter_map { |identifier| @rows[identifier] }
          held = found.flat_map(&:vector_fields).uniq.sort
          (vector_fields ? held & vector_fields : held).each { |field| read_vectors(found, field) }
        end

        # @return [Hash] an empty Hash: documents are not prepared for reranking
        def prepared(_identifiers)
          {}
        end

        private

        def row(identifier)
          expect([identifier], []) unless @rows.key?(identifier)
          @rows[identifier]
        end

        def read_vectors(rows, field)
          missing = rows.select do |row|
            row.vector_fields.include?(field) && !@vectors.key?([row.identifier, field])
          end
          return if missing.empty?

          names = missing.to_h { |row| [row.number, row.identifier] }
          @tables.vectors(field, names.keys).each { |number, vector| @vectors[[names[number], field]] = vector }
        end

        def texts(rows)
          rows.map { |(written)| written.dup.force_encoding(Encoding::UTF_8) }
        end
      end
    end
  end
end
