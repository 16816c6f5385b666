# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search export`.
    module ExportCommand
      module_function

      # Print the documents as records.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        IndexFile.open(line.flags["index"]) do |file|
          records = RecordOf.new(line.flags.key?("vectors"))
          if line.flags.key?("output")
            WholeFile.open(line.flags["output"]) { |output| write(file.store, records, output) }
          else
            write(file.store, records, console)
          end
        end
        0
      end

      def write(store, records, out)
        store.rank([]).each do |identifier, _|
          document = store.get(identifier)
          out.write("#{JsonWriter.write(records.record(document))}\n") if document # else it was removed meanwhile
        end
      end
      private_class_method :write
    end
  end
end
