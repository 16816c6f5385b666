# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The server cannot decide which documents pass; the library itself must check every document.
      class UndecidedError < StandardError; end

      # The condition that finds the documents that pass filters (OB-2, DOC-2): a subquery for each condition on a
      # field.
      class OceanBaseFilters < Tables::SqlFilters
        OPERATORS = { "gt" => ">", "gte" => ">=", "lt" => "<", "lte" => "<=" }.freeze
        # The beginning of the term of a name; that of a value begins with a digit.
        NAMED = "="
        # The end of a term that may not be the whole value; no filter has a number with that many digits.
        CUT = /\0[0-9a-f]{64}\z/
        UNAVAILABLE = [Filters::Comparisons::Bound.new("lt", ["number", 1])].freeze
        private_constant :OPERATORS, :NAMED, :CUT, :UNAVAILABLE

        # @return [String] the condition
        attr_reader :text

        # @param document [Documents::StoredDocument]
        # @return [Hash{String=>Boolean}] the terms by which filters find a document; for each whether it may not be the
        #   whole value
        def self.terms(document)
          fields = document.fields.select { |name, _| Filters::Attributes.attribute?(name) }
          held = Filters::ValueKeys.held(Documents::StoredDocument.new(document.identifier, fields, document.vectors))
          found = held.names.to_h { |name| [NAMED + name, false] }
          held.terms.each { |term| found[term] = CUT.match?(term) }
          found
        end

        # @param filters [AdapterKit::Filters]
        # @param statements [OceanBaseStatements] the statements of the collection
        # @param states_availability [Boolean] whether any document has a value for availability
        # @raise [UndecidedError] the server cannot decide
        def initialize(filters, statements, states_availability)
          super()
          @statements = statements
          @states_availability = states_availability
          @compares_texts = false
          @text = of(filters.conditions)
        end

        # @return [Boolean] whether the condition compares texts, so that the library must check documents with cut
        #   terms
        def compares_texts?
          @compares_texts
        end

        private

        def identified(condition)
          among_ids(condition.identifiers.sort)
        end

        def available_one
          @states_availability ? "(not #{within("available_int", UNAVAILABLE, [])})" : "true"
        end

        def exists(path)
          path.name == "id" ? "true" : holding([NAMED + Filters::ValueKeys.name_key(name(path))])
        end

        def held(condition)
          wanted = condition.wanted&.select { |key| condition.holds_within?(key) }
          return id_held(wanted, condition) if condition.path.name == "id"

          name = name(condition.path)
          return within(name, condition.bounds, condition.parts) if wanted.nil?

          holding(wanted.map { |key| Filters::ValueKeys.value_key(name, key) }.sort)
        end

        def id_held(wanted, condition)
          return among_ids(wanted.select { |kind, _| kind == "text" }.map(&:last).sort) if wanted
          return "false" unless condition.bounds.all? { |bound| bound.limit[0] == "text" }

          tests = condition.bounds.map do |bound|
            "d.id #{OPERATORS.fetch(bound.operator)} #{OceanBaseStatements.value(bound.limit[1])}"
          end
          tests += condition.parts.map { |part| part_test("d.id", 1, part) }
          tests.empty? ? "true" : "(#{tests.join(" and ")})"
        end

        def among_ids(identifiers)
          return "false" if identifiers.empty?

          @statements.text("condition_identified", ids: OceanBaseStatements.row(identifiers))
        end

        def holding(terms)
          terms.empty? ? "false" : @statements.text("condition_term", terms: OceanBaseStatements.row(terms))
        end

        def within(name, bounds, parts)
          bounds.each { |bound| check_limit(bound.limit) }
          sides = []
          unless bounds.empty?
            found = Filters::ValueKeys.value_range(name, bounds)
            return "false" if found.nil?

            sides += found.map { |side, term| side_test(OPERATORS.fetch(side), term) }
          end
          sides += parts_tests(name, parts) unless parts.empty?
          @statements.text("condition_range", sides: sides.join(" and "))
        end

        def check_limit(limit)
          return unless limit[0] == "text"

          @compares_texts = true
          raise UndecidedError if limit[1].bytesize > Filters::ValueKeys::LONGEST_TEXT
        end

        def parts_tests(name, parts)
          @compares_texts = true
          start = Filters::ValueKeys.prefix(name)
          kind = Filters::ValueKeys::KINDS.fetch("text")
          offset = (start + kind).bytesize + 1
          [side_test(">=", start + kind), side_test("<", start + Filters::ValueKeys::NEXT_KIND.fetch(kind))] +
            parts.map { |part| part_test("term", offset, part) }
        end

        def side_test(operator, term)
          "term #{operator} #{OceanBaseStatements.value(term)}"
        end

        # Return the test for a part of a text that begins at an offset of a column, which counts from 1.
        def part_test(column, offset, part)
          shown = OceanBaseStatements.value(part.part)
          size = part.part.bytesize
          return "true" if size.zero?

          case part.operator
          when "contains" then "locate(#{shown}, #{column}, #{offset}) > 0"
          when "starts_with" then "substr(#{column}, #{offset}, #{size}) = #{shown}"
          else "(length(#{column}) >= #{offset - 1 + size} and right(#{column}, #{size}) = #{shown})"
          end
        end

        def name(path)
          raise UndecidedError unless Filters::Attributes.attribute?(path.steps[0])

          path.name
        end
      end
    end
  end
end
