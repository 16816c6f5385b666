# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    # The help of the program and of each command, made from their table (CUR-5).
    module Help
      WIDTH = 80
      STATUS = "exit status: 0 success, also when the reader closes the output; 1 failure, or a document that get " \
               "did not find; 2 the command line is not accepted; 3 success, but locate found no index for an " \
               "instance; 130 interrupted"
      private_constant :WIDTH, :STATUS

      module_function

      # @return [String] the help of `hybrid-search` itself
      def of_program
        lines = [
          "usage: #{Command::PROGRAM} COMMAND [FLAGS]",
          "",
          "Hybrid retrieval for Chinese and English: an index in one file, and the pages of its answers.",
          ""
        ]
        lines.concat(Command.commands.map { |name, command| "  #{name.ljust(11)} #{command.says}" })
        lines << "" << "  #{Command::PROGRAM} COMMAND --help    its flags and examples"
        lines << "  #{Command::PROGRAM} --version" << ""
        "#{[*lines, *wrapped(STATUS, "")].join("\n")}\n"
      end

      # @return [String] the help of one command
      def of_command(command)
        usage = [Command::PROGRAM, command.name]
        usage << argument(command.argument) if command.argument
        usage.concat(command.flags.select(&:required).map { |flag| "--#{flag.name} #{flag.value}" })
        lines = ["usage: #{usage.join(" ")} [FLAGS]", "", *wrapped(says(command), ""), ""]
        lines.push("  #{command.argument.name}", *wrapped(command.argument.says, " " * 6)) if command.argument
        command.flags.each { |flag| lines.concat(flag_lines(flag)) }
        lines.push("", "examples:", *command.examples.map { |example| "  #{example}" }, "", *wrapped(STATUS, ""))
        "#{lines.join("\n")}\n"
      end

      # @return [Array<String>] all that is said of a flag
      def facts(flag)
        told = [flag.says]
        # The meaning of an option lists its choices.
        told << "one of #{flag.choices.join(", ")}" unless flag.choices.empty? || flag.option
        told << "required" if flag.required
        told << "may be given more than once" if flag.repeated
        told << "default: #{default(flag.default)}" unless flag.default.nil?
        told << "#{flag.also.map { |name| "--#{name}" }.join(", ")}: deprecated names for it" unless flag.also.empty?
        told
      end

      # @return [Array<String>] a text in lines of at most 80 characters, words left whole
      def wrapped(text, indent)
        lines = []
        line = indent
        text.split(" ", -1).each do |word|
          if line.length + word.length + 1 > WIDTH && line != indent
            lines << line
            line = indent
          end
          line = line == indent ? line + word : "#{line} #{word}"
        end
        lines << line
      end

      def default(value)
        value.is_a?(::String) ? value : JSON.generate(value)
      end
      private_class_method :default

      def says(command)
        says = "#{command.says[0].upcase}#{command.says[1..]}."
        command.also.empty? ? says : "#{says} Also called #{command.also.join(" and ")}."
      end
      private_class_method :says

      def argument(argument)
        name = argument.many ? "#{argument.name}…" : argument.name
        argument.required ? name : "[#{name}]"
      end
      private_class_method :argument

      def flag_lines(flag)
        names = flag.name == "help" ? "-h, --help" : "--#{flag.name}"
        [flag.value ? "  #{names} #{flag.value}" : "  #{names}", *wrapped(facts(flag).join("; "), " " * 6)]
      end
      private_class_method :flag_lines
    end
  end
end
