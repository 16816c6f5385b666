# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search query`.
    module QueryCommand
      # NAME, one of the operators, VALUE.
      CONDITION = /\A([^!=<>][^=<>]*?)(>=|<=|!=|=|>|<)(.*)\z/m
      BOUNDS = { ">" => "gt", ">=" => "gte", "<" => "lt", "<=" => "lte" }.freeze
      private_constant :CONDITION, :BOUNDS

      module_function

      # Answer a question.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        options = options(line)
        if line.arguments.empty? && !options.key?(:match_all)
          raise UsageError, "TEXT is missing: what is looked for? --match-all shows all documents"
        end
        if line.flags.key?("stream") && line.flags.key?("format")
          raise UsageError, "--stream and --format exclude each other"
        end

        most = Validation.integer("--max-results", line.flags["max-results"], 1)
        IndexFile.open(line.flags["index"]) do |file|
          answer(file.index(max_results: most), line, options, most, console)
        end
        0
      end

      def answer(index, line, options, most, console)
        question = line.arguments.first || ""
        if line.flags.key?("stream")
          QueryStream.new(index, console, most).write(question, options)
        elsif Report.form(line.flags["format"], console) == Report::JSON
          page = index.query(question, **options)
          console.write_json(page.to_h)
          QueryTable.warn_of(page, console)
        else
          QueryTable.show(index.query(question, **options), console)
        end
      end
      private_class_method :answer

      def options(line)
        options = line.options.transform_keys(&:to_sym)
        filters = filters(line)
        filters.nil? ? options : { **options, filters: }
      end
      private_class_method :options

      # The filters of `--filters` and of all `--filter`.
      def filters(line)
        joined(line.flags["filters"], plain_filters(line.flags["filter"] || []))
      end
      private_class_method :filters

      # What all `--filter` ask for together: the values of a name that is given twice are alternatives.
      def plain_filters(pairs)
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
      private_class_method :plain_filters

      def condition(pair)
        found = CONDITION.match(pair)
        raise UsageError, "--filter must be NAME=VALUE, not #{Validation.describe(pair)}" if found.nil?

        [found[1], found[2], CommandLine.scalar(found[3])]
      end
      private_class_method :condition

      def bound(sides, name, operator, value)
        raise UsageError, "--filter #{Usage.shown(name + operator)} is given twice" if sides.key?(BOUNDS[operator])

        sides[BOUNDS[operator]] = value
      end
      private_class_method :bound

      def one_or_all(values) = values.length == 1 ? values.first : values
      private_class_method :one_or_all

      def joined(given, plain)
        return given if plain.empty?
        return plain if given.nil?
        return given.merge(plain) if given.is_a?(::Hash) && !given.keys.intersect?(plain.keys)

        { "all" => [given, plain] }
      end
      private_class_method :joined
    end
  end
end
