# frozen_string_literal: true

require "optparse"

module HybridSearch
  module Cli
    # Ruby's parser, except that names are written in full (its own `require_exact` refuses `--name=value`).
    class ExactParser < OptionParser
      include Base::ShortInspect

      private

      def complete(type, name, *)
        raise InvalidOption, "--#{name}" if type == :long && !search(:long, name)

        super
      end
    end
    private_constant :ExactParser

    # Parses a command line by the table of its command (CUR-5).
    #
    # Flags may come before, between and after arguments; `--name value` and `--name=value` are the same, and everything
    # after `--` is an argument. Names are written in full; underscores may replace their hyphens. Of a flag that is
    # given twice, the last value counts, unless the flag may be repeated. A flag of kind "boolean" may also have no
    # value, which means true, and be written `--no-NAME`.
    class CommandLine
      include Base::Value

      BOOLEAN = "boolean"

      # @return [Command] the command
      attr_reader :command
      # @return [Array<String>] the positional arguments, in order
      attr_reader :arguments
      # @return [Hash{String=>Object}] name => value of the flags that were given, and of those that have a default
      attr_reader :flags

      class << self
        # @param command [Command]
        # @param given [Array<String>]
        # @return [CommandLine] the parsed arguments
        # @raise [UsageError] an unknown flag, a value that is missing or not accepted, too many or too few arguments
        def parse(command, given)
          found, arguments = found(command, given)
          flags = {}
          command.flags.each do |flag|
            if found.key?(flag.name)
              flags[flag.name] = value(flag, found[flag.name])
            elsif !flag.default.nil? && flag.option.nil?
              flags[flag.name] = flag.default
            end
          end
          check(command, flags, arguments) unless flags.key?("help")
          new(command:, arguments:, flags:)
        end

        # @param command [Command]
        # @return [String] the help of a command
        def help_of(command)
          parser(command, {}).help
        end

        private

        # Return the texts given for each flag, and the positional arguments.
        def found(command, given)
          found = {}
          [found, parser(command, found).permute(spelled(command, given))]
        rescue OptionParser::ParseError => e
          raise usage_error(command, e)
        end

        # Write out flags of kind "boolean", which may have no value or be negated, as `--name=true` or `--name=false`.
        def spelled(command, given)
          flags = command.flags.flat_map { |flag| [flag.name, *flag.also].map { |name| ["--#{name}", flag] } }.to_h
          spelled = []
          waiting = given.reverse
          until waiting.empty?
            text = waiting.pop.to_s
            return [*spelled, text, *waiting.reverse] if text == "--"

            name, equals, = text.partition("=")
            flag = flags[name.tr("_", "-")]
            denied = flags["--#{name.tr("_", "-").delete_prefix("--no-")}"]
            if denied&.kind == BOOLEAN && flag.nil?
              raise UsageError, "#{name} takes no value" unless equals.empty?

              spelled << "--#{denied.name}=false"
            elsif flag&.kind == BOOLEAN && equals.empty?
              value = flag.choices.include?(waiting.last) ? waiting.pop : "true"
              spelled << "--#{flag.name}=#{value}"
            else
              spelled << text
              spelled << waiting.pop if flag&.value && equals.empty? && !waiting.empty?
            end
          end
          spelled
        end

        def parser(command, found)
          parser = ExactParser.new("usage: #{Help.usage(command)}\n\n#{filled(Help.description(command), 80)}\n\n", 24)
          parser.base.long.clear # the flags that Ruby adds itself
          command.flags.each do |flag|
            long = flag.value ? "--#{flag.name} #{flag.value}" : "--#{flag.name}"
            names = flag.name == "help" ? ["-h", long] : [long]
            says = filled(Help.of_flag(flag), 54).split("\n")
            switch = parser.define(*names, *says) { |text| (found[flag.name] ||= []) << text }
            [*flag.also, flag.name.tr("-", "_")].each { |name| parser.top.long[name] = switch } # not shown in help
          end
          parser.separator("\n#{Help.examples(command)}")
          parser
        end

        # Return a text in lines of at most that many characters, without breaking words.
        def filled(text, width)
          text.scan(/\S.{0,#{width - 2}}(?=\s|\z)|\S+/).join("\n")
        end

        # Return an error of Ruby's parser in the words of both programs.
        def usage_error(command, error)
          known = command.flags.flat_map { |flag| [flag.name, *flag.also].map { |name| "--#{name}" } }
          given = error.args.first.to_s
          given = "--#{given}" unless given.start_with?("-")
          name = given.start_with?("--") ? given[/\A[^=]*/] : given[0, 2]
          return UsageError.new("#{name} needs a value") if error.is_a?(OptionParser::MissingArgument)
          return UsageError.new("#{name} takes no value") if known.include?(name.tr("_", "-"))

          unknown_flag(command, name)
        end

        # Return the error for a flag that a command does not have.
        def unknown_flag(command, name)
          argument = command.argument
          known = command.flags.each_with_object({}) do |flag, names|
            [flag.name, *flag.also].each { |each| names["--#{each}"] = "--#{flag.name}" }
          end
          known[argument.name] = "#{argument.name} without a flag" if argument
          Usage.unknown("flag", name, known)
        end

        def check(command, flags, arguments)
          missing = command.flags.find { |flag| flag.required && !flags.key?(flag.name) }
          raise UsageError, "--#{missing.name} #{missing.value} is missing: #{missing.says}" if missing

          argument = command.argument
          most = argument ? 1 : 0
          if !argument&.many && arguments.size > most
            raise UsageError, "#{Usage.shown(arguments[most])} is one argument too many"
          end
          return unless argument
          raise UsageError, "#{argument.name} is missing: #{argument.says}" if argument.required && arguments.empty?

          arguments.each { |given| choose(argument.name, given, argument.choices) }
        end

        # Return the value of a flag from all the texts given for it.
        def value(flag, given)
          return true if flag.value.nil?

          given = (flag.repeated ? given : given.last(1)).flat_map { |text| items(text) } if flag.kind == "list"
          given.each { |text| choose("--#{flag.name}", text, flag.choices) }
          return given if flag.kind == "list"

          flag.repeated ? given : read(flag, given.last)
        end

        # Return the value of a text; one that does not fit the type stays a text, which the option's check refuses by
        # name.
        def read(flag, text)
          case flag.kind
          when "integer" then Base::ScalarText.integer(text) || text
          when "number" then Base::ScalarText.number(text) || text
          when "order" then items(text).map { |item| direction(item) }
          when BOOLEAN then text == "true"
          when "json" then json(flag, text)
          else text
          end
        end

        def items(text)
          text.empty? ? [""] : text.split(",", -1)
        end

        def direction(item)
          name, colon, direction = item.rpartition(":")
          colon.empty? ? [item, "asc"] : [name, direction]
        end

        def json(flag, text)
          Base::StrictJson.parse(text)
        rescue JSON::JSONError
          raise UsageError, "--#{flag.name} must be JSON, not #{Usage.shown(text)}"
        end

        def choose(name, given, choices)
          return if choices.empty? || choices.include?(given)

          raise UsageError, "#{name} must be one of #{choices.join(", ")}, not #{Usage.shown(given)}"
        end
      end

      # @param command [Command]
      # @param arguments [Array<String>]
      # @param flags [Hash{String=>Object}]
      def initialize(command:, arguments:, flags:)
        @command = command
        @arguments = arguments.freeze
        @flags = flags.freeze
        freeze
      end

      # @return [Hash{String=>Object}] the options of a search that were given, by their own names
      def options
        given = command.flags.select { |flag| flag.option && flags.key?(flag.name) }
        given.to_h { |flag| [flag.option, flags[flag.name]] }
      end
    end
  end
end
