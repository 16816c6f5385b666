# frozen_string_literal: true

module HybridSearch
  module Cli
    # A file that cannot be written.
    class OutputError < StandardError
      include Error
    end

    # A file that is there whole or not at all: written beside its place, then renamed (CUR-5).
    class WholeFile
      include Base::ShortInspect

      # A file of texts, which takes its place when the block ends without an error; else it leaves nothing.
      #
      # @param path [String] where it will be
      # @yieldparam file [WholeFile]
      # @return [Object] what the block gives
      # @raise [OutputError] it cannot be written
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
          raise Errno::EISDIR if File.directory?(path) # no file can take its place: better told now than at the end

          File.open(@beside, "wb")
        end
      end

      # Write a text at the end.
      #
      # @return [void]
      def write(text)
        writing { @stream.write(text.b) }
      end

      # Take the place.
      #
      # @return [void]
      def keep
        writing do
          @stream.fsync
          @stream.close
          File.rename(@beside, @path)
        end
      end

      # Leave nothing.
      #
      # @return [void]
      def drop
        begin
          @stream.close
        rescue SystemCallError
          nil # what could not be written is given up anyway
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
