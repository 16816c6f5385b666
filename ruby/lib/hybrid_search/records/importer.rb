# frozen_string_literal: true

module HybridSearch
  module Records
    # Stores batches of records, some of which may be stored already, as if they were stored one after another. A
    # changed record replaces its document; an unchanged one is skipped.
    class Importer
      include Base::ShortInspect

      # @return [Integer] the number of new records
      attr_reader :added
      # @return [Integer] the number of records that replaced a document
      attr_reader :updated
      # @return [Integer] the number of records that were stored already, unchanged
      attr_reader :unchanged

      # @param store [DocStoreAdapter] the store of the documents
      # @param embedding [Embedding, nil] makes their vectors; nil: only vectors of records are stored
      # @param documents [DocumentBuilder, nil] makes the documents; by default a builder with that embedding
      # @param changed [#call, nil] called with each document that is stored
      # @param any_vectors [Boolean] as for {Index}
      # @param workers [Integer] as for {Index#add}
      def initialize(store, embedding, documents = nil, changed: nil, any_vectors: false, workers: 1)
        @store = store
        @embedding = embedding
        @builder = documents || DocumentBuilder.new(embedding:)
        @changed = changed
        @any_vectors = any_vectors
        @workers = workers
        @added = 0
        @updated = 0
        @unchanged = 0
      end

      # Refuse a record that cannot be stored.
      #
      # @param record [Hash{String=>Object}]
      # @return [void]
      # @raise [InvalidInputError] it cannot be stored
      # @raise [DimensionMismatchError] it cannot be stored because of its vector
      def check(record)
        @builder.check("record", record)
      end

      # @param size [Integer, nil] the number of records in a batch, or nil
      # @return [BatchLimits] the limits of batches of records (IDX-3)
      def batch_limits(size)
        @builder.batch_limits(size)
      end

      # Run a block with the processes that cut the texts of batches into tokens before they are stored.
      #
      # @yieldparam workers [TextWorkers]
      # @return [Object] the result of the block
      def workers(&)
        # Until the dimension of vectors is known, records can be checked only after all earlier batches are embedded.
        known = @embedding.nil? || !@embedding.dimension.nil?
        @builder.workers(known ? @workers : 1, &)
      end

      # Store a batch.
      #
      # @param records [Array<Hash{String=>Object}>]
      # @param ready [Array<Hash>, nil] the fields of its texts, if they are known
      # @return [void]
      def store(records, ready = nil)
        batch = ImportBatch.new(@store)
        made = @builder.build_many(records, wanted: batch.method(:wants?), ready:)
        made.each { |document| batch.documents[document["id"]] = document }
        documents = batch.documents.values
        brought = documents.map { |document| batch.with_vectors.key?(document["id"]) }
        claims = Stores::VectorModels.claim(@store, @embedding, documents, brought, any_vectors: @any_vectors)
        @store.upsert(documents)
        Stores::VectorModels.claim_again(@store, claims)
        documents.each { |document| @changed&.call(document) }
        @added += batch.added
        @updated += batch.updated
        @unchanged += batch.unchanged
      end
    end

    # The changes of a batch.
    class ImportBatch
      include Base::ShortInspect

      VECTOR = /_vec\z/
      private_constant :VECTOR

      # @return [Hash{String=>Hash}] the documents to store, by id
      attr_reader :documents
      # @return [Hash{String=>true}] the ids of the documents whose records bring a vector
      attr_reader :with_vectors
      # @return [Integer] the number of new records
      attr_reader :added
      # @return [Integer] the number of records that replaced a document
      attr_reader :updated
      # @return [Integer] the number of records that were stored already, unchanged
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
      # @return [Boolean] whether it differs from the stored one; called before an embedding makes its vector
      def wants?(document)
        known = known(document["id"])
        if known && same?(known, document)
          @unchanged += 1
          return false
        end
        @documents[document["id"]] = document.dup
        @with_vectors.delete(document["id"])
        @with_vectors[document["id"]] = true if document.any? { |name, _| name.match?(VECTOR) }
        if known
          @updated += 1
        else
          @added += 1
        end
        true
      end

      private

      def known(identifier)
        @documents[identifier] || @store.get(identifier)
      end

      # Return whether the fields are the same; a vector counts only if the document brings one.
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
