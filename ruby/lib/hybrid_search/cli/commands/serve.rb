# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search serve`.
      module ServeCommand
        module_function

        # Serve over HTTP until a signal stops the process.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          path = line.flags["index"]
          flags = line.flags.slice(*Server::Serving::FLAGS)
          rerank = RerankFlags.options_of(line.flags)
          IndexFile.open(path, read_only: flags.key?("read-only")) do |file|
            index = file.index(max_results: line.flags["max-results"], ranking_cache: RankingCache.new, **rerank)
            Server::Serving.serve(index, flags) { |address| console.tell("#{path} is served at #{address}\n") }
          end
          0
        end
      end
    end
  end
end
