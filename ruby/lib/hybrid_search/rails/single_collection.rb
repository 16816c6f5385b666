# frozen_string_literal: true

module HybridSearch
  module Rails
    # A collection in a store without generations, such as OpenSearch: it has the methods of {Generations}, but
    # `reindex` works in place.
    class SingleCollection
      include Base::ShortInspect

      # The maximum number of times that a changing document is written; after that, the sync of the last change writes
      # it.
      MOST_ATTEMPTS = 5
      # The number of documents that are compared at once.
      BATCH = 256
      private_constant :MOST_ATTEMPTS, :BATCH

      # The known facts about the collection.
      CollectionStatus = Struct.new(:documents, :reasons) do
        def stale?
          !reasons.empty?
        end
      end

      # @param find [#call] maps ids to the current records of these documents
      # @param index_options [Hash] the options of {Index#initialize}
      # @yieldreturn [DocStoreAdapter] the store, opened at its first use
      def initialize(find:, **index_options, &open)
        @find = find
        @index_options = index_options
        @open = open
        @lock = Thread::Mutex.new
      end

      # @see Index#search
      def search(question = "", **options)
        index.search(question, **options)
      end

      # @yieldparam index [Index]
      # @return [Object] the value of the block
      def use
        yield index
      end

      # @param records [Array<Hash>] all records of some documents
      # @return [Integer] the number of records that were added or changed
      def upsert(records)
        records.group_by { |record| record["doc_id"] }.each_value { |several| remove_others(several) }
        index.upsert(records)
      end

      # @param ids [Array<String>] the ids of documents
      # @return [Integer] the number of removed records
      def delete(ids)
        index.delete(filters: { "doc_id" => ids })
      end

      # Write the result of `find` for some documents, until `find` returns the same result afterwards: the last writer
      # has then also read last.
      #
      # @param ids [Enumerable<String>] the ids of documents
      # @return [void]
      def sync(ids)
        ids.each_slice(BATCH) do |several|
          MOST_ATTEMPTS.times do
            wanted = wanted(several)
            store(wanted)
            present = wanted(several)
            several = several.reject { |id| wanted[id] == present[id] }
            break if several.empty?
          end
        end
      end

      # @param source [#call] maps nil to all records
      # @param progress [#call, nil]
      # @param total [Integer]
      # @param batch_size [Integer]
      # @param promote [Boolean] must be true: there is nothing to promote
      # @return [CollectionStatus]
      def reindex(source, progress: nil, total: -1, batch_size: 256, promote: true)
        raise InvalidInputError, "promote must be true: this store is reindexed in place" unless promote

        seen = {}
        done = 0
        source.call(nil).each_slice(batch_size) do |records|
          ids = records.map { |record| record["doc_id"] }.uniq
          sync(ids)
          done += ids.count { |id| seen[id].nil? && (seen[id] = true) }
          progress&.call(done, total)
        end
        self.ids.reject { |id| seen[id] }.each_slice(BATCH) { |several| sync(several) }
        status
      end

      # @return [Array<String>] the ids of the documents
      def ids
        index.each(match_all: true).map(&:doc_id).uniq
      end

      # @return [CollectionStatus]
      def status
        known = index.store.vector_fields
        model = @index_options[:embedding]&.model
        held = known.to_h.values.filter_map { |field| field["model"] if field["count"].positive? }
        others = held.reject { |each| each == model }
        CollectionStatus.new(index.count, others.map { |each| "model: #{each} -> #{model}" })
      end

      # @return [Array<String>] an empty list, as there is never anything to remove
      def clean(grace: 3600) # rubocop:disable Lint/UnusedMethodArgument -- as {Generations} has it
        []
      end

      # @return [void]
      def close
        @index = nil
      end

      private

      def index
        @index || @lock.synchronize { @index ||= Index.new(store: @open.call, **@index_options) }
      end

      def wanted(ids)
        found = @find.call(ids).group_by { |record| record["doc_id"] }
        ids.to_h { |id| [id, found.fetch(id, [])] }
      end

      def store(wanted)
        gone, there = wanted.partition { |_, records| records.empty? }
        delete(gone.map(&:first)) unless gone.empty?
        upsert(there.flat_map(&:last)) unless there.empty?
      end

      def remove_others(records)
        present = { "not" => { "id" => records.map { |record| record["id"] } } }
        index.delete(filters: { "all" => [{ "doc_id" => records[0]["doc_id"] }, present] })
      end
    end
  end
end
