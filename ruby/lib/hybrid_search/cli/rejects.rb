# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reports skipped records in a file of JSON Lines, or in one line each on standard error (CUR-5).
    class Rejects
      include Base::ShortInspect

      # @return [Integer] the number of skipped records
      attr_reader :count

      # @param path [String, nil] the file; nil uses standard error
      # @param console [Console] provides standard error
      # @yieldparam rejects [Rejects]
      # @return [Object] the value of the block
      def self.open(path, console)
        return yield new(nil, console) if path.nil?

        WholeFile.open(path) { |file| yield new(file, console) }
      end

      # @param file [WholeFile, nil]
      # @param console [Console]
      def initialize(file, console)
        @file = file
        @console = console
        @count = 0
      end

      # Report a skipped record.
      #
      # @param line [RecordLine]
      # @param reason [String]
      # @return [void]
      def add(line, reason)
        @count += 1
        return @console.complain(line.place, "passed over: #{reason}") if @file.nil?

        what = line.content ? { "record" => line.content } : { "text" => line.text }
        reject = { "file" => line.file, "line" => line.number, "reason" => reason, **what }
        @file.write("#{Base::JsonWriter.write(reject)}\n")
      end
    end
  end
end
