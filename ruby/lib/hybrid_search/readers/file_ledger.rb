# frozen_string_literal: true

module HybridSearch
  module Readers
    # Tracks the files of one run from their records to their documents, and removes the documents of files that have
    # changed or no longer exist (FIL-6).
    class FileLedger
      include Base::ShortInspect

      PATH_FIELD = "metadata.path"
      # The number of documents that are removed at once.
      BATCH = 1024
      NO_TEXT = "it contains no text"

      # @return [Integer] the number of removed documents
      attr_reader :removed

      # @param store [DocStoreAdapter] the store of the documents
      # @param walk [FileWalk] finds the files
      def initialize(store, walk)
        @store = store
        @walk = walk
        @ids = {}
        @paths = {}
        @changed = {}
        @failed = []
        @unread = {}
        @removed = 0
      end

      # Yield the records of a file as they are read, and track them.
      #
      # @param path [String]
      # @param records [Enumerable<FileRecord>]
      # @yieldparam record [FileRecord]
      # @return [void]
      def following(path, records)
        ids = @ids[path] = {}
        records.each do |each|
          if each.record
            identifier = each.record["id"].to_s
            ids[identifier] = true
            @paths[identifier] = path
          elsif each.number.zero?
            @failed << SkippedFile.new(path:, reason: each.reason)
            @unread[path] = true
          end
          yield each
        end
        return unless ids.empty? && !@unread.key?(path)

        @walk.skipped << SkippedFile.new(path:, reason: NO_TEXT)
        @unread[path] = true
      end

      # Note that a document was stored.
      #
      # @param document [Hash{String=>Object}]
      # @return [void]
      def changed(document)
        path = @paths[document["id"]]
        @changed[path] = true if path
      end

      # Remove the documents that files no longer contain.
      #
      # @param delete [#call] removes documents by their ids, and returns their number
      # @param prune [Boolean] whether to remove the documents of missing files too
      # @return [void]
      def clean(delete, prune)
        stored = stored_counts
        @ids.each do |path, ids|
          next if @unread.key?(path)

          own = ids.each_key.count { |identifier| @paths[identifier] == path }
          remove(path, ids, delete) if stored.fetch(path, 0) > own
        end
        return unless prune

        stored.each_key do |path|
          remove(path, {}, delete) if !@ids.key?(path) && @walk.covers?(path)
        end
      end

      # @return [Array<SkippedFile>] the files that were not read, with the reasons
      def skipped
        @walk.skipped + @failed
      end

      # @return [Hash{String=>Integer}] the numbers of files: read, unchanged among these, and skipped
      def counts
        read = @ids.keys.reject { |path| @unread.key?(path) }
        unchanged = read.count { |path| !@changed.key?(path) }
        { "read" => read.size, "unchanged" => unchanged, "skipped" => skipped.size }
      end

      private

      def remove(path, kept, delete)
        filters = Records::Selection.read({ "doc_id" => path, PATH_FIELD => path })
        found = @store.search(select_fields: [], filters:, limit: @store.count)
        gone = found.ids.reject { |identifier| kept.key?(identifier) }
        gone.each_slice(BATCH) { |ids| @removed += delete.call(ids) }
        @changed[path] = true unless gone.empty?
      end

      # Return the number of documents of each path.
      def stored_counts
        filters = Records::Selection.read({ PATH_FIELD => { "exists" => true } })
        aggs = @store.search(select_fields: [], filters:, limit: 0, agg_fields: [PATH_FIELD]).aggs
        aggs.fetch(PATH_FIELD, []).select { |path, _| path.is_a?(String) }.to_h
      end
    end
  end
end
