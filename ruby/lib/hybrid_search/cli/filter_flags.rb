# frozen_string_literal: true

module HybridSearch
  module Commanding
    # The filters of a command line: `--filters` as data, and all `--filter` (CUR-5).
    module FilterFlags
      # NAME, one of the operators, VALUE.
      CONDITION = /\A([^!=<>][^=<>]*?)(>=|<=|!=|=|>|<)(.*)\z/m
      BOUNDS = { ">" => "gt", ">=" => "gte", "<" => "lt", "<=" => "lte" }.freeze
      private_constant :CONDITION, :BOUNDS

      module_function

      # @param flags [Hash{String=>Object}]
      # @return [Boolean] whether a command line has filters
      def given?(flags)
        flags.key?("filters") || flags.key?("filter")
      end

      # @param flags [Hash{String=>Object}]
      # @return [Object] the filters of a command line as data, nil where it has none
      # @raise [UsageError] a `--filter` is not a condition, or gives a bound twice
      def filters_of(flags)
        given = flags["filters"]
        plain = plain(flags["filter"] || [])
        return given || (plain unless plain.empty?) if given.nil? || plain.empty?
        return { **given, **plain } if given.is_a?(::Hash) && !given.keys.intersect?(plain.keys)

        { "all" => [given, plain] }
      end

      # What all `--filter` ask for together: the values of a name that is given twice are alternatives.
      def plain(pairs)
        equal = {}
        unequal = {}
        bounds = {}
        pairs.each do |pair|
          name, operator, value = condition(pair)
          if BOUNDS.key?(operator)
            bound(bounds[name] ||= {}, name, operator, value)
          else
            ((operator == "=" ? equal : unequal)[name] ||= []) << value
          end
        end
        plain = equal.transform_values { |values| one_or_all(values) }
        bounds.each { |name, sides| plain[name] = equal.key?(name) ? { "in" => equal[name], **sides } : sides }
        return plain if unequal.empty?

        plain.merge("not" => { "any" => unequal.map { |name, values| { name => one_or_all(values) } } })
      end
      private_class_method :plain

      def condition(pair)
        found = CONDITION.match(pair)
        raise UsageError, "--filter must be NAME=VALUE, not #{Validation.describe(pair)}" if found.nil?

        [found[1], found[2], ScalarText.scalar(found[3])]
      end
      private_class_method :condition

      def bound(sides, name, operator, value)
        raise UsageError, "--filter #{Usage.shown(name + operator)} is given twice" if sides.key?(BOUNDS[operator])

        sides[BOUNDS[operator]] = value
      end
      private_class_method :bound

      def one_or_all(values) = values.length == 1 ? values.first : values
      private_class_method :one_or_all
    end
  end
end
