# frozen_string_literal: true

module HybridSearch
  module Base
    # What is told to whoever runs a program: one line for each thing that failed (LOG-1).
    #
    # The lines go to {HybridSearch.logger}, as warnings, and nowhere unless a program sets one.
    module Log
      PROGRAM = "hybrid_search"
      CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/
      private_constant :PROGRAM, :CONTROLS

      module_function

      # Tell of something that failed; what would make another line of it becomes a blank. A logger that fails itself
      # stops nothing.
      #
      # @param line [String]
      # @return [void]
      def warning(line)
        HybridSearch.logger&.warn(PROGRAM) { line.gsub(CONTROLS, " ") }
      rescue StandardError
        nil
      end

      # Tell of errors of a kind that pass.
      #
      # @param kind [Module]
      # @return [Object] what the block gives
      def failures(kind)
        yield
      rescue kind => e
        warning(e.message)
        raise
      end
    end
  end
end
