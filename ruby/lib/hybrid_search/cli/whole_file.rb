# frozen_string_literal: true

module HybridSearch
  module Cli
    # A file cannot be written.
    class OutputError < StandardError
      include Error
    end

    # Writes a file completely or not at all: next to its place first, then renamed (CUR-5).
    class WholeFile
      include Base::ShortInspect

      # Open a text file, which appears at its path when the block ends without an error; otherwise no file is left
      # behind.
      #
      # @param path [String] its path
      # @yieldparam file [WholeFile]
      # @return [Object] the value of the block
      # @raise [OutputError] the file cannot be written
      def self.open(path)
        file = new(path)
        done = false
        begin
          found = yield file
          file.keep
          done = true
          found
        ensure
          file.drop unless done
        end
      end

      # @param path [String]
      def initialize(path)
        @path = path
        @beside = File.join(File.dirname(path), ".#{File.basename(path)}.#{Process.pid}.part")
        @stream = writing do
          raise Errno::EISDIR if File.directory?(path) # a file cannot replace it: report that now

          File.open(@beside, "wb")
        end
      end

      # Append a text.
      #
      # @return [void]
      def write(text)
        writing { @stream.write(text.b) }
      end

      # Move the file to its place.
      #
      # @return [void]
      def keep
        writing do
          @stream.fsync
          @stream.close
          File.rename(@beside, @path)
        end
      end

      # Remove the unfinished file.
      #
      # @return [void]
      def drop
        begin
          @stream.close
        rescue SystemCallError
          nil # output that could not be written is abandoned anyway
        end
        FileTest.exist?(@beside) && File.unlink(@beside)
      end

      private

      def writing
        yield
      rescue SystemCallError => e
        raise OutputError, Usage.failed_to("write #{Usage.shown(@path)}", e)
      end
    end
  end
end
