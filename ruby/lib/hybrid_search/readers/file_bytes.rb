# frozen_string_literal: true

module HybridSearch
  module Readers
    # The bytes of a file, never more than are allowed (FIL-2).
    module FileBytes
      # The number of bytes that a file may have which is read as a whole.
      LARGEST_FILE = 64 * 1024 * 1024
      # The number of bytes that a line, or a row, may have.
      LONGEST_LINE = 64 * 1024 * 1024
      # What some programs write first in a file of UTF-8.
      MARK = "\xEF\xBB\xBF".b.freeze

      module_function

      # Open a file; what the system refuses, here or in the block, is an error of this library.
      #
      # @param path [String]
      # @yieldparam stream [File]
      # @return [Object] the value of the block
      # @raise [InvalidInputError] the file cannot be read
      def opened(path, &)
        File.open(path, "rb", &)
      rescue SystemCallError => e
        raise InvalidInputError, "cannot be read: #{reason_of(e)}"
      end

      # @param path [String]
      # @return [String] the bytes of a file
      # @raise [InvalidInputError] the file cannot be read, or is too large
      def read(path)
        data = opened(path) { |stream| stream.read(LARGEST_FILE + 1) } || "".b
        raise InvalidInputError, "has more than #{LARGEST_FILE} bytes" if data.bytesize > LARGEST_FILE

        data
      end

      # @param path [String]
      # @return [String] the text of a file
      # @raise [InvalidInputError] the file cannot be read, is too large, or is not valid UTF-8
      def read_text(path)
        text_of(read(path).delete_prefix(MARK))
      end

      # @param data [String]
      # @return [String] bytes as a text
      # @raise [InvalidInputError] they are not valid UTF-8
      def text_of(data)
        text = data.dup.force_encoding(Encoding::UTF_8)
        raise InvalidInputError, "is not valid UTF-8" unless text.valid_encoding?

        text
      end

      # The lines of a file with their ends, and whether each is whole: of one that is too long its beginning.
      #
      # @param stream [IO]
      # @yieldparam data [String]
      # @yieldparam whole [Boolean]
      # @return [Enumerator, void]
      def lines(stream)
        return enum_for(:lines, stream) unless block_given?

        first = true
        while (data = stream.gets("\n", LONGEST_LINE + 1)&.b)
          rest = data
          until rest.nil? || rest.bytesize <= LONGEST_LINE || rest.end_with?("\n")
            rest = stream.gets("\n", LONGEST_LINE + 1)&.b
          end
          yield first ? data.delete_prefix(MARK) : data, data.bytesize <= LONGEST_LINE
          first = false
        end
      end

      # @param problem [SystemCallError]
      # @return [String] what the system says of an error
      def reason_of(problem)
        SystemCallError.new(nil, problem.errno).message
      end
    end
  end
end
