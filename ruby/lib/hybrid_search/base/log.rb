# frozen_string_literal: true

module HybridSearch
  module Base
    # Logs one warning for each failure that does not stop the program (LOG-1).
    #
    # Warnings go to {HybridSearch.logger}. They are discarded unless the program sets a logger.
    module Log
      PROGRAM = "hybrid_search"
      CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/
      private_constant :PROGRAM, :CONTROLS

      module_function

      # Log a failure; line breaks in the text become blanks. A logger that fails itself stops nothing.
      #
      # @param line [String]
      # @return [void]
      def warning(line)
        HybridSearch.logger&.warn(PROGRAM) { line.gsub(CONTROLS, " ") }
      rescue StandardError
        nil
      end

      # Log errors of one kind that the block raises, and let them pass on.
      #
      # @param kind [Module]
      # @return [Object] the value of the block
      def failures(kind)
        yield
      rescue kind => e
        warning(e.message)
        raise
      end
    end
  end
end
