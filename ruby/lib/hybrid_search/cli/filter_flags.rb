# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the filters of a command line: `--filters` as data, and every `--filter` (CUR-5).
    module FilterFlags
      # A condition: NAME, spaces, one of the operators, VALUE.
      CONDITION = /\A([^!=<>]*?[^!=<> ])( *)(\*=|\^=|\$=|>=|<=|!=|==|=|>|<)(.*)\z/m
      OPERATORS = { "=" => "", "==" => "", "!=" => "not", ">" => "gt", ">=" => "gte", "<" => "lt",
                    "<=" => "lte", "*=" => "contains", "^=" => "starts_with", "$=" => "ends_with" }.freeze
      SIGNS = OPERATORS.invert.freeze
      private_constant :CONDITION, :OPERATORS, :SIGNS

      module_function

      # @param flags [Hash{String=>Object}]
      # @return [Boolean] whether a command line has filters
      def given?(flags)
        flags.key?("filters") || flags.key?("filter")
      end

      # @param flags [Hash{String=>Object}]
      # @return [Object] the filters of a command line as data, nil if it has none
      # @raise [UsageError] a `--filter` is not a condition, or sets a bound twice
      def filters_of(flags)
        conditions = flags.fetch("filter", []).map { |text| condition(text) }
        plain = Stores::Filters::FilterTexts.filters(conditions) do |name, operator, _|
          UsageError.new("--filter #{Usage.shown(name + SIGNS[operator])} is given twice")
        end
        Stores::Filters::FilterTexts.joined(flags["filters"], plain)
      end

      # Return the parts of a condition; spaces around its operator are ignored.
      def condition(text)
        found = CONDITION.match(text)
        raise UsageError, "--filter must be NAME=VALUE, not #{Base::Validation.describe(text)}" if found.nil?

        name, spaces, sign, value = found.captures
        [name, OPERATORS[sign], spaces.empty? ? value : value.sub(/\A +/, "")]
      end
      private_class_method :condition
    end
  end
end
