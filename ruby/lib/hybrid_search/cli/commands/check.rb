# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search check`.
      module CheckCommand
        module_function

        # Read a whole index file and print the problems found in it.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          findings = IndexFile.open(line.arguments[0]) { |file| file.store.check }
          if Report.form(line.flags["format"], console) == Report::JSON
            Report.report({ "sound" => findings.empty?, "findings" => findings }, Report::JSON, console)
          else
            (findings.empty? ? ["sound"] : findings).each { |finding| console.write("#{finding}\n") }
          end
          findings.empty? ? 0 : 1
        end
      end
    end
  end
end
