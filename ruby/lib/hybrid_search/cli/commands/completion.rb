# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search completion`.
      module CompletionCommand
        SCRIPTS = File.expand_path("../../../../data/completion.json", __dir__).freeze
        private_constant :SCRIPTS

        module_function

        # Print the completion script of a shell.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          console.write(JSON.parse(File.read(SCRIPTS, encoding: "UTF-8")).fetch(line.arguments.first))
          0
        end
      end
    end
  end
end
