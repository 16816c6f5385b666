# frozen_string_literal: true

module HybridSearch
  module Cli
    # Writes the output of `locate`: a line for each instance, each written at once (CNV-6).
    class LocatedLines
      include Base::ShortInspect

      EMPTY = {
        "found_files" => [], "found_modules" => [], "found_entities" => [], "raw_output_loc" => []
      }.freeze

      # @return [Array<Hash{String=>Object}>] the lines that the file contained
      attr_reader :kept

      # Open an output, which is closed after the block.
      #
      # @param path [String] its path
      # @param resume [Boolean] whether the complete lines that it contains stay; otherwise it is overwritten
      # @yieldparam lines [LocatedLines]
      # @return [Object] the value of the block
      # @raise [OutputError] the file cannot be written
      # @raise [InputError] its contents are not lines of `locate`
      def self.open(path, resume)
        lines = new(path, resume)
        begin
          yield lines
        ensure
          lines.close
        end
      end

      # @param path [String]
      # @param resume [Boolean]
      def initialize(path, resume)
        @path = path
        @kept = []
        @file = writing { File.open(path, resume && FileTest.exist?(path) ? "r+b" : "w+b") }
        begin_or_close
      end

      # Write the line of an instance.
      #
      # @param identifier [String, nil]
      # @param found [Hash{String=>Object}]
      # @return [void]
      def write(identifier, found)
        line = { "instance_id" => identifier, **EMPTY, **found }
        writing { @file.write("#{Base::JsonWriter.write(line)}\n") }
      end

      # @return [void]
      def close
        @file.close
      end

      private

      def inspected
        { path: @path, kept: @kept }
      end

      def begin_or_close
        @file.sync = true
        writing { begin_lines }
      rescue Error
        @file.close
        raise
      end

      # Read the complete lines, and cut off an incomplete last line that a killed run left behind.
      def begin_lines
        content = @file.read || ""
        whole = (content.rindex("\n") || -1) + 1
        texts = content.byteslice(0, whole).to_s.force_encoding(Encoding::UTF_8).scrub("\u{FFFD}").split("\n", -1)
        @kept = texts[0...-1].to_a.each_with_index.map { |text, place| line(place + 1, text) }
        @file.truncate(whole)
        @file.seek(whole)
      end

      def line(number, text)
        line = Base::StrictJson.parse_object(text)
        return line if line&.key?("instance_id") && line["found_files"].is_a?(::Array)

        raise InputError, "#{@path}:#{number}: not a line of locate; omit --resume to start again"
      end

      def writing
        yield
      rescue SystemCallError => e
        raise OutputError, Usage.failed_to("write #{Usage.shown(@path)}", e)
      end
    end
  end
end
