# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    # Makes the texts of `--help` from the table of commands; the parsers format them (CUR-5).
    module Help
      STATUS = <<~TEXT
        exit status: 0 success, also when the reader closes the output; 1 failure, or a document that get did not find;
        2 the command line is not accepted; 3 success, but locate found no index for an instance; 130 interrupted
      TEXT
      private_constant :STATUS

      module_function

      # @return [String] the help of `hybrid-search` itself
      def of_program
        listed = Command.commands.map { |name, command| "  #{name.ljust(11)} #{command.says}\n" }.join
        "usage: #{Command::PROGRAM} COMMAND [FLAGS]\n\n" \
          "Hybrid retrieval for Chinese and English: an index in one file, and the pages of its answers.\n\n" \
          "#{listed}\n  #{Command::PROGRAM} COMMAND --help    its flags and examples\n  " \
          "#{Command::PROGRAM} --version\n\n#{STATUS}"
      end

      # @return [String] the synopsis of a command
      def usage(command)
        words = [Command::PROGRAM, command.name]
        if (argument = command.argument)
          name = argument.many ? "#{argument.name}…" : argument.name
          words << (argument.required ? name : "[#{name}]")
        end
        words.concat(command.flags.select(&:required).map { |flag| "--#{flag.name} #{flag.value}" })
        [*words, "[FLAGS]"].join(" ")
      end

      # @return [String] the description of a command and of its arguments
      def description(command)
        also = " Also called #{command.also.join(" and ")}." unless command.also.empty?
        argument = " #{command.argument.name}: #{command.argument.says}." if command.argument
        "#{command.says[0].upcase}#{command.says[1..]}.#{also}#{argument}"
      end

      # @return [String] the examples of a command, and the exit statuses
      def examples(command)
        ["examples:\n", *command.examples.map { |example| "  #{example}\n" }, "\n", STATUS].join
      end

      # @return [String] the meaning of a flag, its choices, its default and its other names
      def of_flag(flag)
        facts = [flag.says]
        # The meaning of an option lists its choices.
        facts << "one of #{flag.choices.join(", ")}" unless flag.choices.empty? || flag.option
        facts << "required" if flag.required
        facts << "may be given more than once" if flag.repeated
        facts << "default: #{default(flag.default)}" unless flag.default.nil?
        facts << "#{flag.also.map { |name| "--#{name}" }.join(", ")}: deprecated names for it" unless flag.also.empty?
        facts.join("; ")
      end

      def default(value)
        value.is_a?(::String) ? value : JSON.generate(value)
      end
      private_class_method :default
    end
  end
end
