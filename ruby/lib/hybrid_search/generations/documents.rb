# frozen_string_literal: true

module HybridSearch
  class Generations
    # Writes documents to the store of one generation. A document is all records of one `doc_id`: they are written
    # together, and earlier ones that it no longer has are removed.
    class Documents
      include Base::ShortInspect

      # Stored documents that were made from records, and whether their records brought the vectors.
      Prepared = ::Struct.new(:documents, :brought)
      private_constant :Prepared

      # @param record [Hash{String=>Object}] a checked record
      # @return [String] the id of the document to which it belongs
      def self.key(record)
        record.fetch("doc_id", record.fetch("id"))
      end

      # @param records [Array<Hash>]
      # @param first [Integer] the place of the first record in its source, for messages
      # @return [Array<Hash{String=>Object}>] the records in plain values
      # @raise [InvalidInputError] a record is not acceptable, or two have the same id
      def self.checked(records, first = 0)
        seen = {}
        records.each.with_index(first).map do |record, place|
          checked = Records::RecordValues.whole("records[#{place}]", record)
          id = checked["id"]
          if seen.key?(id)
            raise InvalidInputError, "records[#{place}].id #{Base::Validation.describe(id)} is given twice"
          end

          seen[id] = true
          checked
        end
      end

      # @return [Recipe] the recipe of the generation
      attr_reader :recipe

      # @param store [DocStoreAdapter]
      # @param embedding [Embedding, nil]
      # @param recipe [Recipe]
      # @param options [Hash{Symbol=>Object}] the options of the index
      def initialize(store, embedding, recipe, options)
        @store = store
        @embedding = embedding
        @recipe = recipe
        @any_vectors = options.fetch(:any_vectors)
        @observation = Base::Observation.new(options.fetch(:observer))
        shared = { title_weight: options.fetch(:title_weight), any_vectors: @any_vectors, observer: @observation }
        @builder = DocumentBuilder.new(tokenizer: options.fetch(:tokenizer), embedding:, **shared)
        @vectors = Records::RecordVectors.new(embedding, options.fetch(:title_weight), @any_vectors, @observation)
      end

      # Make stored documents from records; the embedding is called if a text has changed.
      #
      # @param records [Array<Hash{String=>Object}>] checked records
      # @param former [Documents, nil] those of a generation with the same vectors, which unchanged texts keep
      # @return [Prepared]
      def prepare(records, former = self)
        stored = former&.recipe&.model ? former.stored(records) : Array.new(records.size)
        given = records.zip(stored).map { |record, document| with_vector(record, document) }
        Prepared.new(@builder.build_many(given), records.map { |record| record.key?("vector") })
      end

      # Write whole documents, in one batch.
      #
      # @param keys [Array<String>] the ids of the documents
      # @param prepared [Prepared] all their records
      # @param parts [Boolean] whether they may have records whose ids differ from theirs
      # @return [Integer] the number of records that were added, changed or removed
      def replace(keys, prepared, parts)
        @observation.measure("upsert", documents: prepared.documents.size) do
          claim(prepared)
          held = parts ? held(keys) : keys
          @store.exchange(prepared.documents, held - prepared.documents.map { |document| document["id"] })
        end
      end

      # Add documents that the store does not contain; the records of one are stored in one batch.
      #
      # @param prepared [Prepared]
      # @return [void]
      def copy(prepared)
        replace([], prepared, false)
      end

      protected

      # Return the stored documents of records, nil for those that are not stored.
      def stored(records)
        @store.get_many(records.map { |record| record["id"] })
      end

      private

      # Return the ids of the records that documents have.
      def held(keys)
        return [] if keys.empty?

        @store.search(select_fields: [], filters: { "doc_id" => keys }, limit: @store.count).ids
      end

      # Store the origin of vectors. Without the embedding that made those of the store, documents keep their vectors or
      # have none, so only the vectors of records need an origin.
      def claim(prepared)
        claimed = prepared.documents.zip(prepared.brought).select { |_, brought| brought || @embedding }
        Stores::VectorModels.claim(@store, @embedding, *claimed.transpose, any_vectors: @any_vectors) if claimed.any?
      end

      def with_vector(record, document)
        return record if document.nil? || record.key?("vector")

        field, = Records::RecordVectors.fields_of(document)
        return record if field.nil?

        same = @vectors.texts(record) == @vectors.texts(Records::RecordOf.texts_of(document))
        same ? record.merge("vector" => document[field]) : record
      end
    end
  end
end
