# frozen_string_literal: true

module HybridSearch
  module Records
    # Writes records into a store, batch by batch, each batch whole or not at all (IDX-3, IDX-5).
    #
    # An update computes documents from the stored ones, then stores them. One lock is held while documents are stored
    # or removed, but never while something is computed or a model is called. If documents have changed in the
    # meantime, their update is computed again.
    class RecordWriter
      include Base::ShortInspect

      OPTIONS = %w[batch_size progress other_keys workers].freeze
      UPDATE_OPTIONS = OPTIONS.take(3).freeze
      PLACE_IN_BATCH = /\Adocuments\[(\d+)\]/
      private_constant :PLACE_IN_BATCH

      # @param store [DocStoreAdapter] contains the documents
      # @param documents [DocumentBuilder] makes the documents
      # @param embedding [Embedding, nil] computes their vectors; the name of its model is stored (DOC-7)
      # @param observation [Base::Observation] receives an event for each batch (OBS-1)
      # @param any_vectors [Boolean] as for {Index}
      def initialize(store, documents, embedding, observation, any_vectors: false)
        @store = store
        @documents = documents
        @embedding = embedding
        @observation = observation
        @any_vectors = any_vectors
        @writing = Thread::Mutex.new
      end

      # @see Index#add
      def add(records, batch_size, progress, other_keys, workers)
        write("add", records, batch_size, progress, other_keys, workers) do |batch, first, ready|
          documents = @documents.build_many(batch, first, ready:)
          @writing.synchronize { placed(batch, documents, first) { @store.insert(documents) } }
        end
      end

      # @see Index#update
      def update(records, batch_size, progress, other_keys)
        write("update", records, batch_size, progress, other_keys, 1) do |batch, first|
          changed = nil
          changed = update_once(batch, first) while changed.nil?
          changed
        end
      end

      # @see Index#upsert
      def upsert(records, batch_size, progress, other_keys, workers)
        write("upsert", records, batch_size, progress, other_keys, workers) do |batch, first, ready|
          documents = @documents.build_many(batch, first, ready:)
          @writing.synchronize { placed(batch, documents, first) { @store.upsert(documents) } }
        end
      end

      # @see Index#delete
      def delete(ids)
        @writing.synchronize { @store.delete(ids) }
      end

      # @param changed [#call] called with each document that is stored, and whether it is new
      # @param workers [Integer] as for {Index#add}
      # @return [Importer] an importer, which stores records that may be stored already
      def importer(changed, workers)
        Importer.new(@store, @embedding, @documents, changed:, any_vectors: @any_vectors, workers:)
      end

      # The documents that an update has read; reports whether they are still the same.
      class Seen
        include Base::ShortInspect

        def initialize(store)
          @store = store
          @generation = store.generation
          @documents = {}
        end

        def get(identifier)
          @documents[identifier] = @store.get(identifier)
        end

        def current?
          return true if @store.generation == @generation

          @documents.all? { |identifier, document| @store.get(identifier) == document }
        end
      end
      private_constant :Seen

      private

      def write(event, records, batch_size, progress, other_keys, workers, &block)
        limits = @documents.batch_limits(BatchLimits.checked(batch_size))
        unless progress.nil? || progress.respond_to?(:call)
          raise Base::Validation.failure("progress", progress, "a callable")
        end

        other_keys = Base::Validation.choice("other_keys", other_keys, RecordMapping::OTHER_KEYS)
        source, total = RecordSources.read(records)
        done = 0
        written = 0
        batches = Enumerator.new { |out| each_batch(mapped(source, other_keys), limits) { |batch| out << batch } }
        @documents.workers(workers) do |ahead|
          ahead.of(batches) do |batch, ready|
            written += @observation.measure(event, documents: batch.size) { block.call(batch, done, ready) }
            done += batch.size
            progress&.call(done, total)
          end
        end
        written
      end

      # Return the records with the keys of records.
      def mapped(records, other_keys)
        return records if other_keys == RecordMapping::REFUSE

        mapping = RecordMapping.new({}, other_keys)
        records.each_entry.lazy.with_index.map do |record, index|
          mapping.record(RecordValues.object("records[#{index}]", record))
        end
      end

      def each_batch(records, limits)
        batch = []
        records.each_entry do |record|
          batch << record
          next unless limits.whole_with?(record)

          yield batch
          batch = []
        end
        yield batch unless batch.empty?
      end

      # Return the number of changed documents, or nil if other writers changed the stored ones in the meantime.
      def update_once(batch, first)
        seen = Seen.new(@store)
        documents = @documents.changes(batch, seen.method(:get), first)
        @writing.synchronize { placed(batch, documents, first) { @store.update(documents) } if seen.current? }
      end

      # Run the block; errors name records by their places among all given records.
      def placed(records, documents, first)
        brought = records.map { |record| !(record["vector"] || record[:vector]).nil? }
        claims = Stores::VectorModels.claim(@store, @embedding, documents, brought, any_vectors: @any_vectors)
        yield.tap { Stores::VectorModels.claim_again(@store, claims) }
      rescue InvalidInputError => e
        message = e.message.sub(PLACE_IN_BATCH) { "records[#{first + ::Regexp.last_match(1).to_i}]" }
        raise InvalidInputError, message.sub("; use insert or upsert", "; use add or upsert")
      end
    end
  end
end
