# frozen_string_literal: true

module HybridSearch
  module Readers
    # Reads the bytes of a file, up to the allowed number (FIL-2).
    module FileBytes
      # The maximum number of bytes of a file that is read as a whole.
      LARGEST_FILE = 64 * 1024 * 1024
      # The maximum number of bytes of a line or a row.
      LONGEST_LINE = 64 * 1024 * 1024
      # The mark that some programs write at the beginning of a file in UTF-8.
      MARK = "\xEF\xBB\xBF".b.freeze

      module_function

      # Open a file; errors of the system, here or in the block, become errors of this library.
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
      # @return [String] the bytes as a text
      # @raise [InvalidInputError] the bytes are not valid UTF-8
      def text_of(data)
        text = data.dup.force_encoding(Encoding::UTF_8)
        raise InvalidInputError, "is not valid UTF-8" unless text.valid_encoding?

        text
      end

      # Yield the lines of a file with their ends, and whether each is whole; of a line that is too long, the beginning.
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
      # @return [String] the system's description of an error
      def reason_of(problem)
        SystemCallError.new(nil, problem.errno).message
      end
    end
  end
end
