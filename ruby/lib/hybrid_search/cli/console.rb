# frozen_string_literal: true

module HybridSearch
  module Cli
    # Where a command reads and writes: UTF-8, whatever the locale says (CUR-5).
    class Console
      include Base::ShortInspect

      # So many bytes wait at the most before they are written.
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
        @stdout.sync = true # what is not written yet is kept here, where it can be forgotten
        @waiting = "".b
      end

      # @return [Boolean] whether somebody looks at the output
      def terminal?
        @stdout.tty?
      end

      # @return [Boolean] whether somebody looks at the errors
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
      # @param flush [Boolean] whether it is handed on at once
      # @return [void]
      def write_json(value, flush: false)
        write("#{Base::JsonWriter.write(value)}\n")
        self.flush if flush
      end

      # Hand on what was written.
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

      # One line to standard error, whatever the message holds.
      #
      # @return [void]
      def complain(who, message)
        tell("#{who}: #{message.scrub("?").gsub(CONTROL, " ")}\n")
      end

      # Forget what was not written: nobody reads on.
      #
      # @return [void]
      def abandon
        @waiting.clear
      end
    end
  end
end
