# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads records from files of all kinds, one after the other, for a run of `index` (CUR-5, FIL-6).
    class FileLines
      include Base::ShortInspect

      # @return [Integer] the number of bytes of the files that were read
      attr_reader :read
      # @return [Integer] the number of bytes of all files
      attr_reader :size

      class << self
        # @param paths [Array<String>]
        # @return [Boolean] whether paths name anything other than JSON Lines
        # @raise [UsageError] they do, and standard input is among them
        def are_wanted(paths)
          others = paths.reject { |path| path == RecordLines::STANDARD_INPUT || json_lines?(path) }
          if others.any? && paths.include?(RecordLines::STANDARD_INPUT)
            raise UsageError, "standard input cannot be read together with #{others.first}"
          end

          others.any?
        end

        private

        def json_lines?(path)
          return path.include?("\0") if path.include?("\0") || File.directory?(path)

          kind = Readers::FileKinds.kind_of(path)
          kind == Readers::FileKinds::JSONL ||
            (kind.nil? && Readers::FileKinds.extension_of(path).empty? && !path.include?("*"))
        end
      end

      # @param walk [Readers::FileWalk] finds the files
      # @param reader [Readers::FileReader] reads them
      def initialize(walk, reader)
        @walk = walk
        @reader = reader
        @files = walk.files.to_a
        @ledger = nil
        @read = 0
        @size = @files.inject(0) { |size, file| size + size_of(file.path) }
      end

      # @yieldparam line [RecordLine]
      # @return [void]
      def each
        @files.each do |file|
          @ledger.following(file.path, @reader.records(file)) do |each|
            yield RecordLine.new(file: each.path, number: each.number, content: each.record, text: each.text,
                                 reason: each.reason)
          end
          @read += size_of(file.path)
        end
      end

      # Track the files in a store.
      #
      # @param store [DocStoreAdapter]
      # @return [#call] the function to call with each document that is stored
      def followed(store)
        @ledger = Readers::FileLedger.new(store, @walk)
        @ledger.method(:changed)
      end

      # Remove the documents that files no longer contain.
      #
      # @param delete [#call]
      # @param prune [Boolean]
      # @return [Hash{String=>Object}] the counts of files
      def cleaned(delete, prune)
        @ledger.clean(delete, prune)
        { "removed" => @ledger.removed, "files" => @ledger.counts }
      end

      # @return [String] the number of files that were skipped without an error, with the reasons; "" without such files
      def skipped
        reasons = @walk.skipped.map(&:reason).tally.sort
        return "" if reasons.empty?

        shown = reasons.map { |reason, count| "#{reason} (#{count})" }.join(", ")
        "skipped #{@walk.skipped.size} files: #{shown}"
      end

      private

      def size_of(path)
        File.size(path)
      rescue SystemCallError
        0
      end
    end
  end
end
