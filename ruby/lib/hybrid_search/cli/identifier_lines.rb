# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the ids of documents from arguments or standard input (CUR-5).
    module IdentifierLines
      # The maximum number of documents that are read or removed at once.
      BATCH = 1000
      LONGEST_LINE = 1024 * 1024
      private_constant :BATCH, :LONGEST_LINE

      module_function

      # @param arguments [Array<String>] ids; `-` stands for the ids on standard input, one a line
      # @param console [Console] provides standard input
      # @yieldparam batch [Array<String>] the ids, up to {BATCH} at once
      # @return [void]
      # @raise [InputError] a line is not valid UTF-8, or too long
      def each_batch(arguments, console, &)
        identifiers(arguments, console).each_slice(BATCH, &)
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
