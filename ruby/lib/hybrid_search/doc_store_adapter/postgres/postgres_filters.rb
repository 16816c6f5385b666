# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The statement that finds the documents that pass filters (PG-2, DOC-2): fixed texts, with all values in
      # parameters.
      class PostgresFilters < Tables::SqlFilters
        OPERATORS = { "gt" => ">", "gte" => ">=", "lt" => "<", "lte" => "<=" }.freeze
        KINDS = '(@.type() == "string" || @.type() == "number" || @.type() == "boolean")'
        # The characters that are escaped in stored values.
        ESCAPED = /[\0\1\2]/
        SPECIAL = /[.^$*+?()\[\]{}|\\]/
        private_constant :OPERATORS, :KINDS, :ESCAPED, :SPECIAL

        # @return [String] the text of the statement, which returns the documents' numbers, and whether the library must
        #   check them
        attr_reader :text
        # @return [Array<Object>] the parameters of the statement
        attr_reader :values

        # @param filters [AdapterKit::Filters]
        # @param statements [PostgresStatements] the statements of the collection
        # @raise [PostgresAttributes::UnholdableError] the server cannot decide; the library itself must check every
        #   document
        def initialize(filters, statements)
          super()
          @statements = statements
          @values = []
          @text = "#{statements.text("passing")} (#{of(filters.conditions)})"
        end

        private

        def identified(condition)
          keys = condition.identifiers.map { |identifier| PostgresKeys.key(identifier) }.sort
          condition("condition_identified", keys:)
        end

        def available_one
          condition("condition_available")
        end

        def exists(path)
          condition("condition_exists", name: name(path))
        end

        def held(condition)
          name = name(condition.path)
          wanted = condition.wanted&.map { |_, value| PostgresAttributes.plain(value) }
          wanted = wanted&.sort_by { |value| PostgresAttributes.write(value) }
          return equal(name, wanted) if wanted && condition.bounds.empty? && condition.parts.empty?

          values = wanted ? { "wanted" => wanted } : {}
          tests = [KINDS]
          tests << "@ == $wanted[*]" if wanted
          condition.bounds.each_with_index do |bound, place|
            tests << "@ #{OPERATORS.fetch(bound.operator)} $b#{place}"
            values["b#{place}"] = PostgresAttributes.plain(bound.limit[1])
          end
          condition.parts.each_with_index do |part, place|
            tests << part(part, "$p#{place}")
            values["p#{place}"] = part.part if part.operator == "starts_with"
          end
          condition("condition_values", name:, path: "$[*] ? (#{tests.join(" && ")})",
                                        values: PostgresAttributes.write(values))
        end

        # Return the test for one part; the pattern is written as JSON, since a path cannot take it from a variable.
        def part(part, variable)
          raise PostgresAttributes::UnholdableError if ESCAPED.match?(part.part)

          case part.operator
          when "starts_with" then "@ starts with #{variable}"
          when "contains" then "@ like_regex #{PostgresAttributes.write(part.part)} flag \"q\""
          else "@ like_regex #{PostgresAttributes.write("#{part.part.gsub(SPECIAL) { |one| "\\#{one}" }}$")}"
          end
        end

        def equal(name, wanted)
          held = wanted.flat_map { |value| [{ name => value }, { name => [value] }] }
          condition("condition_equal", equal: held.map { |one| PostgresAttributes.write(one) })
        end

        def condition(kind, **values)
          values.inject(@statements.text(kind)) do |text, (key, value)|
            @values << value
            text.gsub("$#{key}") { "$#{@values.size}" }
          end
        end

        def name(path)
          raise PostgresAttributes::UnholdableError unless Filters::Attributes.attribute?(path.steps[0])

          PostgresAttributes.escaped(path.name)
        end
      end
    end
  end
end
