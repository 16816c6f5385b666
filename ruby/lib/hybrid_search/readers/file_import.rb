# frozen_string_literal: true

module HybridSearch
  module Readers
    # The result of {Index#add_files}.
    class AddedFiles
      include Base::Value

      # @return [Integer] the number of files that were read
      attr_reader :read
      # @return [Integer] the number of these whose documents are the same as before
      attr_reader :unchanged
      # @return [Array<SkippedFile>] the files that were not read and the records that were not stored, with the reasons
      attr_reader :skipped
      # @return [Integer] the number of documents that were added
      attr_reader :added
      # @return [Integer] the number of documents that replaced another
      attr_reader :updated
      # @return [Integer] the number of documents that were removed
      attr_reader :removed

      def initialize(read:, unchanged:, skipped:, added:, updated:, removed:)
        @read = read
        @unchanged = unchanged
        @skipped = skipped
        @added = added
        @updated = updated
        @removed = removed
        freeze
      end
    end

    # One run over files, from code (FIL-6).
    class FileImport
      include Base::ShortInspect

      STOP = "stop"
      SKIP = "skip"
      # What to do with a file, or a record in one, that cannot be read.
      ON_ERROR = [STOP, SKIP].freeze

      # @param walk [FileWalk] finds the files
      # @param reader [FileReader] reads them
      # @param ledger [FileLedger] follows them
      # @param importer [Records::Importer] stores their records
      # @param stops [Boolean] whether what cannot be read ends the run
      def initialize(walk, reader, ledger, importer, stops)
        @walk = walk
        @reader = reader
        @ledger = ledger
        @importer = importer
        @stops = stops
        @batch = []
        @refused = []
      end

      # Read all files and store their records, batch by batch.
      #
      # @param batch_size [Integer]
      # @param progress [#call, nil]
      # @param delete [#call]
      # @param prune [Boolean]
      # @return [AddedFiles]
      # @raise [InvalidInputError] a file or a record cannot be read or stored, and the run stops then
      def run(batch_size, progress, delete, prune)
        done = 0
        @walk.files.each do |file|
          @ledger.following(file.path, @reader.records(file)) do |record|
            take(record)
            next if @batch.size < batch_size

            done += store
            progress&.call(done, -1)
          end
        end
        done += store
        progress&.call(done, -1)
        @ledger.clean(delete, prune)
        counts = @ledger.counts
        AddedFiles.new(read: counts["read"], unchanged: counts["unchanged"], skipped: @ledger.skipped + @refused,
                       added: @importer.added, updated: @importer.updated, removed: @ledger.removed)
      end

      private

      def take(file)
        reason = reason_of(file)
        if !reason.empty? && @stops
          store
          raise InvalidInputError, "#{file.place}: #{reason}"
        end
        if reason.empty?
          @batch << file.record
        elsif file.number.positive?
          @refused << SkippedFile.new(path: file.place, reason:)
        end
      end

      def reason_of(file)
        return file.reason if file.record.nil?

        @importer.check(file.record)
        ""
      rescue InvalidInputError, DimensionMismatchError => e
        e.message
      end

      def store
        batch = @batch
        @batch = []
        @importer.store(batch) unless batch.empty?
        batch.size
      end
    end
  end
end
