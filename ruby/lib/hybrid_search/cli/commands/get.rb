# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search get`.
      module GetCommand
        WHO = "#{Command::PROGRAM} get".freeze
        private_constant :WHO

        module_function

        # Print the records of documents.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          raise UsageError, "ID is missing: which documents?" if line.arguments.empty?

          include = line.flags.fetch("include", [])
          missing = 0
          IndexFile.open(line.flags["index"]) do |file|
            IdentifierLines.each_batch(line.arguments, console) do |batch|
              found = file.store.get_many(batch, include.include?("vector") ? nil : [])
              missing += found.count(nil)
              batch.zip(found) { |identifier, document| write(identifier, document, include, console) }
            end
          end
          missing.zero? ? 0 : 1
        end

        def write(identifier, document, include, console)
          return console.write_json(Records::RecordOf.record(document, include)) if document

          console.complain(WHO, "there is no document #{Usage.shown(identifier)}")
        end
        private_class_method :write
      end
    end
  end
end
