# frozen_string_literal: true

module HybridSearch
  module Cli
    # How the progress of an `index` is shown: as a bar, as lines of JSON, or not at all (CUR-5).
    module ProgressChoice
      BAR = "bar"
      LINES = "lines"
      NONE = "none"

      module_function

      # A progress that ends after the block.
      #
      # @param how [String] "bar", "lines" or "none"
      # @param console [Console] where it is shown
      # @param size [Integer, nil] how many bytes are to be read, nil: not known
      # @yieldparam progress [Progress]
      # @return [Object] what the block gives
      def open(how, console, size)
        progress = progress(how, console, size)
        begin
          yield progress
        ensure
          progress.finish
        end
      end

      # @return [Progress] the progress of that kind
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
