# frozen_string_literal: true

module HybridSearch
  module Readers
    # The result of {Index#add_files}.
    class AddedFiles
      include Base::Value

      # @return [Integer] the number of files that were read
      attr_reader :read
      # @return [Integer] the number of read files whose documents are the same as before
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

    # One run over files, started from code (FIL-6).
    class FileImport
      include Base::ShortInspect

      STOP = "stop"
      SKIP = "skip"
      # The accepted ways to treat a file, or a record in it, that cannot be read.
      ON_ERROR = [STOP, SKIP].freeze

      # @param walk [FileWalk] finds the files
      # @param reader [FileReader] reads them
      # @param ledger [FileLedger] tracks them
      # @param importer [Records::Importer] stores their records
      # @param stops [Boolean] whether a file or record that cannot be read ends the run
      def initialize(walk, reader, ledger, importer, stops)
        @walk = walk
        @reader = reader
        @ledger = ledger
        @importer = importer
        @stops = stops
        @refused = []
      end

      # Read all files and store their records, batch by batch.
      #
      # @param batch_size [Integer, nil]
      # @param progress [#call, nil]
      # @param delete [#call]
      # @param prune [Boolean]
      # @return [AddedFiles]
      # @raise [InvalidInputError] a file or a record cannot be read or stored, and the run stops then
      def run(batch_size, progress, delete, prune)
        done = 0
        @importer.workers do |ahead|
          limits = @importer.batch_limits(batch_size)
          batches = Enumerator.new { |out| each_batch(limits) { |batch| out << batch } }
          ahead.of(batches) do |batch, ready|
            @importer.store(batch, ready)
            done += batch.size
            progress&.call(done, -1)
          end
        end
        progress&.call(done, -1) if done.zero?
        @ledger.clean(delete, prune)
        counts = @ledger.counts
        AddedFiles.new(read: counts["read"], unchanged: counts["unchanged"], skipped: @ledger.skipped + @refused,
                       added: @importer.added, updated: @importer.updated, removed: @ledger.removed)
      end

      private

      # Yield the records of all files in batches; records that were read before an error are yielded first.
      def each_batch(limits)
        batch = []
        @walk.files.each do |walked|
          @ledger.following(walked.path, @reader.records(walked)) do |file|
            reason = reason_of(file)
            if reason.empty?
              batch << file.record
              next unless limits.whole_with?(file.record)

              yield batch
              batch = []
            elsif @stops
              yield batch unless batch.empty?
              raise InvalidInputError, "#{file.place}: #{reason}"
            elsif file.number.positive?
              @refused << SkippedFile.new(path: file.place, reason:)
            end
          end
        end
        yield batch unless batch.empty?
      end

      # Return why a record cannot be read or stored; "" if it can.
      def reason_of(file)
        return file.reason if file.record.nil?

        @importer.check(file.record)
        ""
      rescue InvalidInputError, DimensionMismatchError => e
        e.message
      end
    end
  end
end
