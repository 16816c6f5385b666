# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # `hybrid-search completion`.
      module CompletionCommand
        module_function

        # Print the completion of a shell.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          console.write(line.arguments.first == "bash" ? Completion.bash : Completion.zsh)
          0
        end
      end
    end
  end
end
