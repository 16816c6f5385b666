# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search postgres`.
      module PostgresCommand
        # The environment variable with the connection string.
        ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
        INDEX = "index"
        private_constant :ADDRESS, :INDEX

        module_function

        # Create a collection, or an index in it.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          url = line.flags["url"] || ENV.fetch(ADDRESS, "")
          raise UsageError, "--url is missing, and #{ADDRESS} is not set" if url.empty?

          makes_index = line.arguments[0] == INDEX
          if makes_index != line.flags.key?("field")
            raise UsageError, makes_index ? "--field is missing: which vectors?" : "--field is for index alone"
          end

          PostgresDocStore.open(url, collection: line.flags["collection"], migrate: !makes_index) do |store|
            store.build_index(line.flags["field"]) if makes_index
            told = { "collection" => store.collection, **store.health }
            Report.report(told, line.flags["format"], console)
          end
          0
        end
      end
    end
  end
end
