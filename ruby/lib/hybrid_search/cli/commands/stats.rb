# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search stats`.
      module StatsCommand
        MOST_VALUES = 10_000
        # The parts of a store's `stats` that are the same in both languages.
        FULL = %w[tokens fields without_vectors].freeze
        private_constant :MOST_VALUES, :FULL

        module_function

        # Show the number of documents and their embedding.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          filters = FilterFlags.filters_of(line.flags)
          counts = IndexFile.open(line.flags["index"]) { |file| counts(file, line.flags, filters) }
          Report.report(counts, line.flags["format"], console)
          0
        end

        def counts(file, flags, filters)
          health = file.store.health
          counts = health.slice("documents")
          counts["filtered"] = file.index.count(filters:) unless filters.nil?
          counts.merge!(health.slice("generation", "status"), "embedding" => file.choice&.to_h,
                                                              "vectors" => file.store.vector_fields)
          counts.merge!(file.store.stats.slice(*FULL)) if flags.key?("full")
          return counts unless flags.key?("facets")

          page = file.index.search(match_all: true, limit: 1, filters:, facets: flags["facets"],
                                   facet_limit: MOST_VALUES)
          counts.merge("facets" => page.to_h["facets"])
        end
        private_class_method :counts
      end
    end
  end
end
