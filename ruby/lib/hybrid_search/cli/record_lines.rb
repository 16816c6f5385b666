# frozen_string_literal: true

module HybridSearch
  module Cli
    # Input that is not acceptable; the message names the place.
    class InputError < StandardError
      include Error
    end

    # One line of a file.
    class RecordLine
      include Base::Value

      # @return [String] the file as given
      attr_reader :file
      # @return [Integer] the number of the line, from 1; 0 for the whole file
      attr_reader :number
      # @return [Hash{String=>Object}, nil] the object in the line, nil if the line is not an object
      attr_reader :content
      # @return [String] the line itself, if it is not an object
      attr_reader :text
      # @return [String] the reason why it is not an object
      attr_reader :reason

      def initialize(file:, number:, content: nil, text: "", reason: "")
        @file = file
        @number = number
        @content = content
        @text = text
        @reason = reason
        freeze
      end

      # @return [String] the place of the line, for messages
      def place
        number.zero? ? file : "#{file}:#{number}"
      end
    end

    # Reads records from files of JSON Lines (CUR-5): their lines, one after the other; blank lines are skipped.
    class RecordLines
      include Base::ShortInspect

      STANDARD_INPUT = "-"
      LONGEST_LINE = 64 * 1024 * 1024
      MARK = "\xEF\xBB\xBF".b.freeze
      BLANK = /\A[ \t\r\n]*\z/n
      private_constant :MARK, :BLANK

      # @return [Integer] the number of bytes read
      attr_reader :read
      # @return [Integer, nil] the number of all bytes; nil if it is not known
      attr_reader :size

      # @param files [Array<String>] their paths; `-` is standard input
      # @param stdin [IO] standard input
      # @raise [UsageError] standard input is named twice
      # @raise [InputError] a file cannot be read
      def initialize(files, stdin)
        @files = files.empty? ? [STANDARD_INPUT] : files
        @stdin = stdin
        raise UsageError, "standard input can be read only once" if @files.count(STANDARD_INPUT) > 1

        @read = 0
        @size = whole_size
      end

      # @yieldparam line [RecordLine]
      # @return [void]
      def each(&)
        @files.each do |file|
          next lines(file, @stdin, &) if file == STANDARD_INPUT

          opened(file) { |stream| lines(file, stream, &) }
        end
      end

      private

      # Return the size of all files, each of which must be readable.
      def whole_size
        return nil if @files.include?(STANDARD_INPUT)

        @files.inject(0) { |size, file| size + opened(file, &:size) }
      end

      def opened(file)
        raise InvalidInputError, "#{Usage.shown(file)} is not a path" if file.include?("\0")

        stream = reading(file) do
          raise Errno::EISDIR if File.directory?(file)

          File.open(file, "rb")
        end
        begin
          yield stream
        ensure
          stream.close
        end
      end

      def reading(file)
        yield
      rescue SystemCallError => e
        raise InputError, Usage.failed_to("read #{Usage.shown(file)}", e)
      end

      def lines(file, stream)
        number = 0
        while (data, whole = reading(file) { line(stream) }).first
          number += 1
          data = data.delete_prefix(MARK) if number == 1
          if !whole
            yield RecordLine.new(file:, number:, reason: "the line has more than #{LONGEST_LINE} bytes")
          elsif !data.match?(BLANK)
            yield parsed(file, number, data)
          end
        end
      end

      # Return the next line, and whether it is complete; a line that is too long is cut.
      def line(stream)
        data = piece(stream)
        return [nil, true] if data.nil?

        rest = data
        rest = piece(stream) while rest && rest.bytesize > LONGEST_LINE && !rest.end_with?("\n")
        [data, data.bytesize <= LONGEST_LINE]
      end

      def piece(stream)
        data = stream.gets("\n", LONGEST_LINE + 1)
        @read += data.bytesize if data
        data&.b
      end

      def parsed(file, number, data)
        text = data.dup.force_encoding(Encoding::UTF_8)
        shown = text.scrub("\uFFFD").sub(/[\r\n]+\z/, "")
        return RecordLine.new(file:, number:, text: shown, reason: "not valid UTF-8") unless text.valid_encoding?

        content = Base::StrictJson.parse_object(text)
        return RecordLine.new(file:, number:, content:) if content

        RecordLine.new(file:, number:, text: shown, reason: "not a JSON object")
      end
    end
  end
end
