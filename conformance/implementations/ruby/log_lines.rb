# frozen_string_literal: true

module Conformance
  # The lines that the library writes into its log (LOG-1).
  class LogLines < Array
    # @return [LogLines] those that come while the block runs
    def self.kept
      HybridSearch.logger = new
      yield
      HybridSearch.logger
    ensure
      HybridSearch.logger = nil
    end

    def warn(_program)
      push(yield)
    end
  end
end
