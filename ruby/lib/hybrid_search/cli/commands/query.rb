# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search query`.
    module QueryCommand
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
          console.write_json(index.query(question, **options).to_h)
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
        plain = {}
        (line.flags["filter"] || []).each do |pair|
          name, equals, value = pair.partition("=")
          if equals.empty? || name.empty?
            raise UsageError, "--filter must be NAME=VALUE, not #{Validation.describe(pair)}"
          end

          scalar = CommandLine.scalar(value)
          plain[name] = plain.key?(name) ? [*plain[name], scalar] : scalar
        end
        joined(line.flags["filters"], plain)
      end
      private_class_method :filters

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
