# frozen_string_literal: true

module HybridSearch
  module Cli
    # Chooses the display of the progress of `index`: a bar, lines of JSON, or nothing (CUR-5).
    module ProgressChoice
      BAR = "bar"
      LINES = "lines"
      NONE = "none"

      module_function

      # Open a progress display, which ends after the block.
      #
      # @param how [String] "bar", "lines" or "none"
      # @param console [Console] the output
      # @param size [Integer, nil] the number of bytes to read, nil if it is not known
      # @yieldparam progress [Progress]
      # @return [Object] the value of the block
      def open(how, console, size)
        progress = progress(how, console, size)
        begin
          yield progress
        ensure
          progress.finish
        end
      end

      # @return [Progress] the progress display of that kind
      def progress(how, console, size)
        case how
        when LINES then ProgressLines.new(console)
        when BAR then ProgressBar.new(console, size)
        else Progress.new
        end
      end
    end
  end
end
