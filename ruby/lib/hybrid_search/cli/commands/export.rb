# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search export`.
      module ExportCommand
        module_function

        # Print the documents as records.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          IndexFile.open(line.flags["index"]) do |file|
            include = line.flags.fetch("include", [])
            if line.flags.key?("output")
              WholeFile.open(line.flags["output"]) { |output| write(file.store, include, output) }
            else
              write(file.store, include, console)
            end
          end
          0
        end

        def write(store, include, out)
          store.rank([]).each do |identifier, _|
            document = store.get(identifier)
            next if document.nil? # it has been removed meanwhile

            out.write("#{Base::JsonWriter.write(Records::RecordOf.record(document, include))}\n")
          end
        end
        private_class_method :write
      end
    end
  end
end
