# frozen_string_literal: true

module HybridSearch
  module Cli
    # Stores batches of records that may be stored already, each as if one record were stored after the other: what has
    # changed replaces what there was, what has not is passed over.
    class Importer
      include Base::ShortInspect

      # @return [Integer] how many records were new
      attr_reader :added
      # @return [Integer] how many replaced a document
      attr_reader :updated
      # @return [Integer] how many were stored already, just so
      attr_reader :unchanged

      # @param store [DocStoreAdapter] where they are stored
      # @param embedding [Embedding, nil] makes their vectors, nil: nothing does
      def initialize(store, embedding)
        @store = store
        @embedding = embedding
        @builder = DocumentBuilder.new(embedding:)
        @added = 0
        @updated = 0
        @unchanged = 0
      end

      # Refuse a record that cannot be stored.
      #
      # @param record [Hash{String=>Object}]
      # @return [void]
      # @raise [InvalidInputError] it cannot
      # @raise [DimensionMismatchError] it cannot, for its vector
      def check(record)
        @builder.check("record", record)
      end

      # Store a batch.
      #
      # @param records [Array<Hash{String=>Object}>]
      # @return [void]
      def store(records)
        batch = ImportBatch.new(@store)
        made = @builder.build_many(records, wanted: batch.method(:wants?))
        made.each { |document| batch.documents[document["id"]] = document }
        documents = batch.documents.values
        brought = documents.map { |document| batch.with_vectors.key?(document["id"]) }
        Stores::VectorModels.claim(@store, @embedding, documents, brought)
        @store.upsert(documents)
        @added += batch.added
        @updated += batch.updated
        @unchanged += batch.unchanged
      end
    end

    # What a batch changes.
    class ImportBatch
      include Base::ShortInspect

      VECTOR = /\Aq_.*_vec\z/m
      private_constant :VECTOR

      # @return [Hash{String=>Hash}] what is to be stored, by id
      attr_reader :documents
      # @return [Hash{String=>true}] the ids of those whose records bring a vector
      attr_reader :with_vectors
      # @return [Integer] how many records were new
      attr_reader :added
      # @return [Integer] how many replaced a document
      attr_reader :updated
      # @return [Integer] how many were stored already, just so
      attr_reader :unchanged

      # @param store [DocStoreAdapter]
      def initialize(store)
        @store = store
        @documents = {}
        @with_vectors = {}
        @added = 0
        @updated = 0
        @unchanged = 0
      end

      # @param document [Hash{String=>Object}]
      # @return [Boolean] whether it differs from what there is; asked before it has the vector that an embedding makes
      def wants?(document)
        known = known(document["id"])
        if known && same?(known, document)
          @unchanged += 1
          return false
        end
        @documents[document["id"]] = document.dup
        @with_vectors.delete(document["id"])
        @with_vectors[document["id"]] = true if document.any? { |name, _| name.match?(VECTOR) }
        known ? @updated += 1 : @added += 1
        true
      end

      private

      def known(identifier)
        @documents[identifier] || @store.get(identifier)
      end

      # Whether the fields are the same; a vector counts only where the document brings one.
      def same?(known, document)
        text(known, document) == text(document, document)
      end

      def text(fields, document)
        kept = fields.select { |name, _| document.key?(name) || !name.match?(VECTOR) }
        Base::JsonWriter.write(kept.sort.to_h)
      end
    end
  end
end
