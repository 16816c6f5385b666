# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads and writes the standard streams in UTF-8, in every locale (CUR-5).
    class Console
      include Base::ShortInspect

      # The maximum number of buffered bytes.
      LARGEST = 65_536
      CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/

      # @return [IO] standard input
      attr_reader :stdin

      # @param stdin [IO]
      # @param stdout [IO]
      # @param stderr [IO]
      def initialize(stdin: $stdin, stdout: $stdout, stderr: $stderr)
        @stdin = stdin.binmode
        @stdout = stdout.binmode
        @stderr = stderr.binmode
        @stdout.sync = true # unwritten output is buffered here, where it can be discarded
        @waiting = "".b
      end

      # @return [Boolean] whether the output is a terminal
      def terminal?
        @stdout.tty?
      end

      # @return [Boolean] whether standard error is a terminal
      def terminal_for_errors?
        @stderr.tty?
      end

      # Write a text to the output.
      #
      # @return [void]
      def write(text)
        @waiting << text.b
        flush if @waiting.bytesize >= LARGEST
      end

      # Write a value as one line of JSON.
      #
      # @param flush [Boolean] whether to flush the output
      # @return [void]
      def write_json(value, flush: false)
        write("#{Base::JsonWriter.write(value)}\n")
        self.flush if flush
      end

      # Flush the output.
      #
      # @return [void]
      def flush
        waiting = @waiting
        @waiting = "".b
        @stdout.write(waiting) unless waiting.empty?
      end

      # Write a text to standard error at once.
      #
      # @return [void]
      def tell(text)
        @stderr.write(text.b)
        @stderr.flush
      end

      # Write a message as one line to standard error.
      #
      # @return [void]
      def complain(who, message)
        tell("#{who}: #{message.scrub("?").gsub(CONTROL, " ")}\n")
      end

      # Discard unwritten output, since its reader has closed the pipe.
      #
      # @return [void]
      def abandon
        @waiting.clear
      end
    end
  end
end
