# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search delete`.
      module DeleteCommand
        module_function

        # Remove documents.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          ways = [!line.arguments.empty?, FilterFlags.given?(line.flags), line.flags.key?("all")]
          raise UsageError, "ID is missing: which documents? --filter removes those that pass" if ways.none?
          raise UsageError, "ID, --filter and --all exclude each other" if ways.count(true) > 1

          counts = IndexFile.open(line.flags["index"], read_only: false) do |file|
            { "deleted" => deleted(line, file, console), "documents" => file.store.count }
          end
          Report.report(counts, line.flags["format"], console)
          0
        end

        def deleted(line, file, console)
          return file.index.clear if line.flags.key?("all")
          return deleted_by_filters(file, FilterFlags.filters_of(line.flags)) if line.arguments.empty?

          deleted = 0
          IdentifierLines.each_batch(line.arguments, console) { |batch| deleted += file.store.delete(batch) }
          deleted
        end
        private_class_method :deleted

        def deleted_by_filters(file, filters)
          if [nil, {}, []].include?(filters)
            raise UsageError, "--filters must hold at least one condition; --all removes all documents"
          end

          file.index.delete(filters:)
        end
        private_class_method :deleted_by_filters
      end
    end
  end
end
