# frozen_string_literal: true

module HybridSearch
  class Generations
    # Writes documents to the store of one generation. A document is all records of one `doc_id`: they are written
    # together, and those that it had before and has no more are removed.
    class Documents
      include Base::ShortInspect

      # Stored documents that were made of records, and whose vectors were brought.
      Prepared = ::Struct.new(:documents, :brought)
      private_constant :Prepared

      # @param record [Hash{String=>Object}] checked
      # @return [String] the id of the document that it is part of
      def self.key(record)
        record.fetch("doc_id", record.fetch("id"))
      end

      # @param records [Array<Hash>]
      # @param first [Integer] the place of the first of them where they come from, for messages
      # @return [Array<Hash{String=>Object}>] them in plain values
      # @raise [InvalidInputError] one is not acceptable, or two have one id
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

      # @return [Recipe] of the generation
      attr_reader :recipe

      # @param store [DocStoreAdapter]
      # @param embedding [Embedding, nil]
      # @param recipe [Recipe]
      # @param options [Hash{Symbol=>Object}] those of the index
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

      # Make stored documents of records; the embedding is asked where a text has changed.
      #
      # @param records [Array<Hash{String=>Object}>] checked
      # @param former [Documents, nil] of a generation with the same vectors: texts that it has keep theirs
      # @return [Prepared]
      def prepare(records, former = self)
        stored = former&.recipe&.model ? former.stored(records) : Array.new(records.size)
        given = records.zip(stored).map { |record, document| with_vector(record, document) }
        Prepared.new(@builder.build_many(given), records.map { |record| record.key?("vector") })
      end

      # Write documents whole, in one batch.
      #
      # @param keys [Array<String>] the ids of the documents
      # @param prepared [Prepared] of all records that they have
      # @param parts [Boolean] whether they may have records whose ids are not their own
      # @return [Integer] the number of records that were added, changed or removed
      def replace(keys, prepared, parts)
        @observation.measure("upsert", documents: prepared.documents.size) do
          claim(prepared)
          held = parts ? held(keys) : keys
          @store.exchange(prepared.documents, held - prepared.documents.map { |document| document["id"] })
        end
      end

      # Add documents of which the store has nothing; the records of one are stored in one batch.
      #
      # @param prepared [Prepared]
      # @return [void]
      def copy(prepared)
        replace([], prepared, false)
      end

      protected

      # The stored documents of records, nil for those that are not there.
      def stored(records)
        @store.get_many(records.map { |record| record["id"] })
      end

      private

      # The ids of the records that documents have.
      def held(keys)
        return [] if keys.empty?

        @store.search(select_fields: [], filters: { "doc_id" => keys }, limit: @store.count).ids
      end

      # Keep where vectors come from. Without the embedding that made those of the store, documents keep theirs or have
      # none, so that only the vectors of records need a source.
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
