# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search stats`.
    module StatsCommand
      MOST_VALUES = 10_000
      private_constant :MOST_VALUES

      module_function

      # Tell how many documents there are, and how they are embedded.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        counts = IndexFile.open(line.flags["index"]) { |file| counts(file, line.flags["facets"]) }
        Report.report(counts, line.flags["format"], console)
        0
      end

      def counts(file, facets)
        choice = file.choice
        counts = file.store.health.slice("documents", "generation", "status").merge("embedding" => choice&.to_h)
        return counts if facets.nil?

        page = file.index.query("", match_all: true, limit: 1, facets:, facet_values: MOST_VALUES)
        counts.merge("facets" => page.to_h["facets"])
      end
      private_class_method :counts
    end
  end
end
