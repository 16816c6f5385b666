# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    # The positional arguments of a command.
    class Argument
      include Base::Value

      # @return [String] the name in help
      attr_reader :name
      # @return [Boolean] whether several are accepted
      attr_reader :many
      # @return [Boolean] whether at least one is required
      attr_reader :required
      # @return [Array<String>] the accepted values; empty: any
      attr_reader :choices
      # @return [String] the meaning
      attr_reader :says

      def initialize(name:, many:, required:, choices:, says:)
        @name = name
        @many = many
        @required = required
        @choices = choices
        @says = says
        freeze
      end
    end

    # One flag of a command.
    class Flag
      include Base::Value

      # @return [String] the name without its hyphens
      attr_reader :name
      # @return [String, nil] the name of its value in help; nil for a switch
      attr_reader :value
      # @return [String] the type of its value: "text", "integer", "number", "boolean", "json", "list" or "order"
      attr_reader :kind
      # @return [Boolean] whether all occurrences count, not only the last
      attr_reader :repeated
      # @return [Boolean] whether it must be given
      attr_reader :required
      # @return [Object] the value if it is not given
      attr_reader :default
      # @return [Array<String>] the accepted values; empty: any
      attr_reader :choices
      # @return [Array<String>] its deprecated names
      attr_reader :also
      # @return [String, nil] the option of a search that it sets, if any
      attr_reader :option
      # @return [String, nil] its name in messages of the library, if they contain it
      attr_reader :parameter
      # @return [String] the meaning
      attr_reader :says

      def initialize(name:, value:, kind:, repeated:, required:, default:, choices:, also:, option:,
                     parameter:, says:)
        @name = name
        @value = value
        @kind = kind
        @repeated = repeated
        @required = required
        @default = default
        @choices = choices
        @also = also
        @option = option
        @parameter = parameter
        @says = says
        freeze
      end
    end

    # One command.
    class Command
      include Base::Value

      PROGRAM = "hybrid-search"
      TABLE = File.expand_path("../../../data/commands.json", __dir__).freeze
      private_constant :TABLE

      # @return [String] the name
      attr_reader :name
      # @return [Array<String>] its other names
      attr_reader :also
      # @return [String] the description
      attr_reader :says
      # @return [Argument, nil] its positional arguments
      attr_reader :argument
      # @return [Array<Flag>] in the order of help
      attr_reader :flags
      # @return [Array<String>] command lines
      attr_reader :examples

      # @return [Hash{String=>Command}] all commands by name
      def self.commands
        @commands ||= JSON.parse(File.binread(TABLE).force_encoding("UTF-8")).to_h do |name, entry|
          [name, of_entry(name, entry)]
        end.freeze
      end

      # @param name [String]
      # @return [Command, nil] the command of this name
      def self.find(name)
        commands.each_value.find { |command| [command.name, *command.also].include?(name) }
      end

      def self.of_entry(name, entry)
        new(
          name:,
          also: entry["also"].freeze,
          says: entry["says"],
          argument: entry["argument"] && Argument.new(**entry["argument"].transform_keys(&:to_sym)),
          flags: entry["flags"].map { |flag| Flag.new(**flag.transform_keys(&:to_sym)) }.freeze,
          examples: entry["examples"].freeze
        )
      end
      private_class_method :of_entry

      def initialize(name:, also:, says:, argument:, flags:, examples:)
        @name = name
        @also = also
        @says = says
        @argument = argument
        @flags = flags
        @examples = examples
        freeze
      end
    end
  end
end
