# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search stats`.
    module StatsCommand
      MOST_VALUES = 10_000
      # Parts of a store's `stats` that are the same in both languages.
      FULL = %w[tokens fields without_vectors].freeze
      private_constant :MOST_VALUES, :FULL

      module_function

      # Tell how many documents there are, and how they are embedded.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        counts = IndexFile.open(line.flags["index"]) { |file| counts(file, line.flags) }
        Report.report(counts, line.flags["format"], console)
        0
      end

      def counts(file, flags)
        choice = file.choice
        counts = file.store.health.slice("documents", "generation", "status")
        counts = { **counts, "embedding" => choice&.to_h, "vectors" => file.store.vector_fields }
        counts.merge!(file.store.stats.slice(*FULL)) if flags.key?("full")
        return counts unless flags.key?("facets")

        page = file.index.query("", match_all: true, limit: 1, facets: flags["facets"], facet_limit: MOST_VALUES)
        counts.merge("facets" => page.to_h["facets"])
      end
      private_class_method :counts
    end
  end
end
