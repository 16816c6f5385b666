# frozen_string_literal: true

module HybridSearch
  module Cli
    # The entry point of `hybrid-search`: finds and runs the command, and reports errors in one line (CUR-5).
    module Main
      DONE = 0
      FAILED = 1
      MISUSED = 2
      INTERRUPTED = 130
      # The environment variable that shows the backtrace of unexpected errors.
      TRACE = "HYBRID_SEARCH_TRACE"
      PROGRAM = Command::PROGRAM
      # The command that enables garbage collection itself, once everything it needs is loaded.
      SEARCH = "search"
      private_constant :PROGRAM, :SEARCH

      module_function

      # Run the program as a process of its own.
      #
      # Collecting garbage while files are loaded takes a tenth of the time of a short command, and frees almost
      # nothing.
      #
      # @return [Integer] its exit status
      def program
        GC.disable
        main
      end

      # Run the program.
      #
      # @param arguments [Array<String>]
      # @param console [Console]
      # @return [Integer] its exit status
      def main(arguments = ARGV, console = Console.new)
        given = arguments.map { |argument| argument.dup.force_encoding(Encoding::UTF_8) }
        who = PROGRAM
        raise UsageError, "the command line is not valid UTF-8" unless given.all?(&:valid_encoding?)

        command = named(given)
        who = "#{PROGRAM} #{command.name}" if command
        status = command ? run(command, given.drop(1), console) : outside(given, console)
        console.flush
        status
      rescue Errno::EPIPE
        console.abandon
        DONE
      rescue Interrupt => e
        console.complain(who, e.message.empty? || e.message == "Interrupt" ? "interrupted" : e.message)
        INTERRUPTED
      rescue InvalidInputError => e
        console.complain(who, in_flags(given, e.message))
        MISUSED
      rescue Error => e
        console.complain(who, e.message)
        FAILED
      rescue SystemCallError => e
        console.complain(who, Usage.failed_to("write the output", e))
        unwritten(console)
      rescue StandardError => e
        raise if ENV[TRACE]

        console.complain(
          who, "failed unexpectedly: #{e.class}: #{Base::Validation.plain_message(e)}; #{TRACE}=1 shows where"
        )
        FAILED
      end

      def unwritten(console)
        console.abandon
        FAILED
      end
      private_class_method :unwritten

      def named(given)
        given.empty? ? nil : Command.find(given.first.to_s)
      end
      private_class_method :named

      def run(command, given, console)
        line = CommandLine.parse(command, given)
        if line.flags.key?("help")
          console.write(CommandLine.help_of(command))
          return DONE
        end
        GC.enable unless command.name == SEARCH
        Cli::Commands.const_get("#{command.name.capitalize}Command").run(line, console)
      end
      private_class_method :run

      # Handle arguments of the program itself.
      def outside(given, console)
        if given.empty?
          raise UsageError, "a command is missing: #{Command.commands.keys.join(", ")}; #{PROGRAM} --help shows more"
        end

        case given.first
        when "-h", "--help" then console.write(Help.of_program)
        when "--version" then console.write("#{PROGRAM} #{VERSION}\n")
        else raise Usage.unknown(given.first.start_with?("-") ? "flag" : "command", given.first, known(given.first))
        end
        DONE
      end
      private_class_method :outside

      def known(name)
        flags = %w[--help --version]
        names = Command.commands.each_value.flat_map { |command| [command.name, *command.also] }
        (name.start_with?("-") ? flags : names + flags).to_h { |each| [each, each] }
      end
      private_class_method :known

      # Return a message about a parameter of the library with the name of its flag.
      def in_flags(given, message)
        found = /\A(\w+)(?=(?:\[\d+\])* )/.match(message)
        flag = found && named(given)&.flags&.find { |one| one.parameter == found[1] }
        flag ? "--#{flag.name}#{message[found.end(0)..]}" : message
      end
      private_class_method :in_flags
    end
  end
end
