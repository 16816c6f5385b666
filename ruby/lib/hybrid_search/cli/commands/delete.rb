# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search delete`.
    module DeleteCommand
      BATCH = 1000
      LONGEST_LINE = 1024 * 1024
      private_constant :BATCH, :LONGEST_LINE

      module_function

      # Remove documents.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        raise UsageError, "ID is missing: which documents?" if line.arguments.empty?

        counts = IndexFile.open(line.flags["index"], read_only: false) do |file|
          deleted = 0
          identifiers(line.arguments, console).each_slice(BATCH) { |batch| deleted += file.store.delete(batch) }
          { "deleted" => deleted, "documents" => file.store.count }
        end
        Report.report(counts, line.flags["format"], console)
        0
      end

      def identifiers(arguments, console)
        Enumerator.new do |found|
          arguments.each do |argument|
            next found << argument if argument != RecordLines::STANDARD_INPUT

            number = 0
            while (data = console.stdin.gets("\n", LONGEST_LINE + 1))
              number += 1
              text = identifier("#{RecordLines::STANDARD_INPUT}:#{number}", data)
              found << text unless text.empty?
            end
          end
        end
      end
      private_class_method :identifiers

      def identifier(place, data)
        text = data.dup.force_encoding(Encoding::UTF_8)
        raise InputError, "#{place}: not valid UTF-8" unless text.valid_encoding?
        raise InputError, "#{place}: the line has more than #{LONGEST_LINE} bytes" if data.bytesize > LONGEST_LINE

        text.sub(/[\r\n]+\z/, "")
      end
      private_class_method :identifier
    end
  end
end
