# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search opensearch`.
      module OpensearchCommand
        # The environment variable with the addresses of the nodes, separated by commas; the first one is used.
        ADDRESS = "HYBRID_SEARCH_OPENSEARCH_URL"
        private_constant :ADDRESS

        module_function

        # Remove the indexes that an interrupted reindex has left.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          url = line.flags["url"] || ENV.fetch(ADDRESS, "")
          raise UsageError, "--url is missing, and #{ADDRESS} is not set" if url.empty?

          address = StoreAddress.new("#{url.split(",").first}##{line.flags["index"]}")
          raise UsageError, "--url begins with http:// or https://" unless address.cluster?

          dry_run = line.flags.key?("dry-run")
          found = address.source(line.flags).clean(dry_run:)
          counts = { "index" => line.flags["index"], "found" => found, "removed" => dry_run ? 0 : found.size }
          Report.report(counts, line.flags["format"], console)
          0
        end
      end
    end
  end
end
