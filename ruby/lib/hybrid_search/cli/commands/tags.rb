# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search tags`.
      module TagsCommand
        OPTIONS = %w[field limit smoothing].freeze
        private_constant :OPTIONS

        module_function

        # Print the tags of a question (TAG-1).
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          raise UsageError, "TEXT is missing" if line.arguments.empty?

          options = line.flags.slice(*OPTIONS).transform_keys(&:to_sym)
          options[:filters] = FilterFlags.filters_of(line.flags) if FilterFlags.given?(line.flags)
          tags = IndexFile.open(line.flags["index"]) do |file|
            file.index.tags_of_question(line.arguments.first, **options)
          end
          console.write_json(tags)
          0
        end
      end
    end
  end
end
