# frozen_string_literal: true

require "set"

module HybridSearch
  module Stores
    module Filters
      # Parses filters as data into conditions (DOC-2); an instance is used once.
      class FilterParser
        include Base::ShortInspect

        MOST_CONDITIONS = 128
        # The maximum number of values in all lists of an object of filters together.
        MOST_VALUES = 65_536
        DEEPEST_FILTERS = 16
        OPERATORS = %w[eq in gt gte lt lte contains starts_with ends_with exists not].freeze
        OPERATORS_OF_EXISTENCE = %w[exists not].freeze
        BOUNDS = %w[gt gte lt lte].freeze
        PARTS = %w[contains starts_with ends_with].freeze
        # The maximum number of code points of a part of a text.
        LONGEST_PART = 256
        VALUES = "a text, a number, true or false, or a list of these"
        BY_PATH = "; what is in it is filtered by its path, like metadata.lang"
        ONE_VALUE = "a text, a number, true or false"

        # @return [Set<String>] the fields of the store that the filters mention
        attr_reader :fields

        # @param names [FilterNames] resolves the names in the filters
        def initialize(names)
          @names = names
          @conditions = 0
          @values = 0
          @rewritten = false
          @fields = Set.new
        end

        # @param filters [Hash{String=>Object}]
        # @param place [String] the position of the filters, for messages
        # @param depth [Integer] the level of nesting, from 1
        # @return [FilterConditions::Conjunction] the conditions of an object of filters
        # @raise [InvalidInputError] a condition of another form, an unknown name, too many conditions, or too deep
        #   nesting
        def parse(filters, place = "filters", depth = 1)
          check_depth(depth)
          asked = Set.new
          conditions = Base::Validation.mapping(place, filters).flat_map do |name, wanted|
            count(1)
            conditions_of(place, name, wanted, depth, asked)
          end
          found = FilterConditions::Conjunction.new(conditions)
          count_written(found) if depth == 1 && @rewritten
          found
        end

        # Refuse too many conditions.
        #
        # @param conditions [Integer] the number of further conditions
        # @return [void]
        def count(conditions)
          @conditions += conditions
          return if @conditions <= MOST_CONDITIONS

          raise InvalidInputError, "filters must not hold more than #{MOST_CONDITIONS} conditions"
        end

        protected

        # @return [Integer] the number of conditions
        attr_reader :conditions

        private

        def check_depth(depth)
          return if depth <= DEEPEST_FILTERS

          raise InvalidInputError, "filters must not be nested more than #{DEEPEST_FILTERS} deep"
        end

        # Apply the limits to the conditions that replace short forms too, since stores read these.
        def count_written(found)
          written = FilterParser.new(FilterNames.new)
          written.parse(found.data)
          @conditions = written.conditions
        end

        # Refuse too many values in lists.
        def count_values(wanted)
          @values += wanted.size if list?(wanted)
          return if @values <= MOST_VALUES

          raise InvalidInputError, "filters must not hold more than #{MOST_VALUES} values in lists"
        end

        def conditions_of(place, name, wanted, depth, asked)
          within = Base::Validation.member(place, name)
          case name
          when "not" then [FilterConditions::Negation.new(parse(wanted, within, depth + 1))]
          when "any" then [FilterConditions::AnyCondition.new(list(within, wanted, depth))]
          when "all" then [FilterConditions::AllConditions.new(list(within, wanted, depth))]
          when "must_not" then [must_not(within, wanted)]
          else
            of_field(within, known_field(place, name, asked), wanted, depth)
          end
        end

        def known_field(place, name, asked)
          field = @names.field(place, name)
          unless asked.add?(field.name)
            raise InvalidInputError,
                  "#{Base::Validation.member(place, name)} asks about #{field.name} a second time: " \
                  "put one of the two into all"
          end

          @fields << field.name
          field
        end

        def list(place, wanted, depth)
          raise Base::Validation.failure(place, wanted, "a list of filters") unless wanted.is_a?(::Array)

          count(wanted.size)
          wanted.each_with_index.map { |one, index| parse(one, "#{place}[#{index}]", depth + 1) }
        end

        def must_not(place, wanted)
          conditions = Base::Validation.mapping(place, wanted)
          Base::Validation.known("condition of must_not", conditions.keys, ["exists"])
          names = conditions.key?("exists") ? texts("#{place}.exists", conditions["exists"]) : []
          count(names.size)
          fields = names.uniq.map { |name| @names.field("#{place}.exists", name).name }
          FilterConditions::Missing.new(fields.sort.map { |field| Documents::FieldPath.of(field) })
        end

        def of_field(place, field, given, depth)
          wanted = brought(place, given)
          return operators(place, field, wanted, depth) if object?(wanted)

          count_values(wanted)
          return [FilterConditions::Exists.new(Documents::FieldPath.of(field.name), false)] if null_of?(field, wanted)
          if field.kind == "existence"
            raise Base::Validation.failure(place, wanted, "null or an object like {\"exists\": true}")
          end

          either(alternatives(place, field, wanted, depth))
        end

        # Return the alternatives of a value or a list: its values, each object of operators, and null.
        def alternatives(place, field, wanted, depth)
          return [conjunction(valued(place, field, wanted))] unless list?(wanted)

          found = []
          found << conjunction(valued(place, field, wanted)) if wanted.empty? || !values(field, wanted).empty?
          wanted.each_with_index do |member, index|
            next unless object?(member)

            check_depth(depth + 1)
            count(1)
            within = "#{place}[#{index}]"
            found << FilterConditions::Conjunction.new(operators(within, field, brought(within, member), depth + 1))
          end
          if null?(field, wanted)
            found << conjunction(FilterConditions::Exists.new(Documents::FieldPath.of(field.name), false))
          end
          found
        end

        # Return conditions that hold if one of the alternatives does.
        def either(alternatives)
          return alternatives[0].conditions if alternatives.size == 1

          @rewritten = true
          [FilterConditions::AnyCondition.new(alternatives)]
        end

        def operators(place, field, given, depth)
          wanted = Base::Validation.mapping(place, given)
          accepted = %w[value identifier].include?(field.kind) ? OPERATORS : OPERATORS_OF_EXISTENCE
          Base::Validation.known("operator of #{place}", wanted.keys, accepted, field.name == "metadata" ? BY_PATH : "")
          if wanted.empty?
            raise InvalidInputError, "#{place} must hold at least one operator. Known: #{accepted.join(", ")}"
          end

          count(wanted.size - 1)
          within_objects(place, field, wanted, depth) + compared(place, field, wanted) +
            negated(place, field, wanted, depth)
        end

        # Return the conditions of an `in` with a range or with a list that contains objects.
        def within_objects(place, field, wanted, depth)
          return [] unless objects?(wanted["in"])

          @rewritten = true
          of_field("#{place}.in", field, wanted["in"], depth)
        end

        def negated(place, field, wanted, depth)
          return [] unless wanted.key?("not")

          check_depth(depth + 1)
          @rewritten = true
          inner = of_field("#{place}.not", field, wanted["not"], depth + 1)
          [FilterConditions::Negation.new(FilterConditions::Conjunction.new(inner))]
        end

        # Return the conditions of all other operators except `not`.
        def compared(place, field, operators)
          wanted = operators.reject { |name, value| name == "not" || (name == "in" && objects?(value)) }
          return [] if wanted.empty?

          count_values(wanted["in"])
          exists = wanted.key?("exists") ? Base::Validation.boolean("#{place}.exists", wanted["exists"]) : nil
          path = Documents::FieldPath.of(field.name)
          any_of, or_missing = any_of(place, field, wanted)
          bounds = BOUNDS.select { |name| wanted.key?(name) }.map { |name| bound(place, field, name, wanted[name]) }
          parts = PARTS.select { |name| wanted.key?(name) }.map { |name| part(place, field, name, wanted[name]) }
          open = bounds.empty? && parts.empty?
          return [FilterConditions::Exists.new(path, exists)] if any_of.nil? && open && !exists.nil?
          return [FilterConditions::Valued.new(path, any_of, bounds, exists, parts)] if !or_missing || !open

          present = any_of.empty? ? [] : [conjunction(FilterConditions::Valued.new(path, any_of))]
          found = either([*present, conjunction(FilterConditions::Exists.new(path, false))])
          exists.nil? ? found : [*found, FilterConditions::Exists.new(path, exists)]
        end

        def valued(place, field, wanted)
          case field.kind
          when "identifier" then FilterConditions::Identified.new(texts(place, plain(place, field, wanted)))
          when "availability"
            available(place, field, wanted) { |at, one| Base::Validation.integer(at, one, 0, 1) == 1 }
          when "flag" then available(place, field, wanted) { |at, value| Base::Validation.boolean(at, value) }
          else FilterConditions::Valued.new(Documents::FieldPath.of(field.name), keys(place, field, wanted, VALUES))
          end
        end

        def available(place, field, wanted, &flag)
          return FilterConditions::Available.new([flag.call(place, wanted)]) unless list?(wanted)

          flags = values(field, wanted).map { |one, index| flag.call("#{place}[#{index}]", one) }
          FilterConditions::Available.new(flags.uniq)
        end

        # Return the values that `in` and `eq` accept, and whether both accept a missing value.
        #
        # The values are nil if any value is accepted.
        def any_of(place, field, wanted)
          found = wanted.key?("in") ? members("#{place}.in", field, wanted["in"]) : nil
          or_missing = found.nil? || null?(field, wanted["in"])
          if wanted.key?("eq")
            return [[], or_missing] if null_of?(field, wanted["eq"])

            one = single("#{place}.eq", field, wanted["eq"])
            return [found.nil? || found.include?(one) ? [one] : [], false]
          end
          [found, or_missing]
        end

        def members(place, field, wanted)
          return keys(place, field, wanted, ONE_VALUE) if list?(wanted)

          raise Base::Validation.failure(place, wanted, "a list of texts, numbers, true or false")
        end

        def single(place, field, wanted)
          raise Base::Validation.failure(place, wanted, ONE_VALUE) if list?(wanted)

          keys(place, field, wanted, ONE_VALUE)[0]
        end

        def bound(place, field, operator, limit)
          within = "#{place}.#{operator}"
          plain = plain(within, field, limit)
          case plain
          when nil, true, false, ::Array, ::Hash
            raise Base::Validation.failure(within, plain, "a number or a text")
          end
          Comparisons::Bound.new(operator, key(within, field, plain, "a number or a text"))
        end

        def part(place, field, operator, part)
          within = "#{place}.#{operator}"
          plain = plain(within, field, part)
          raise Base::Validation.failure(within, plain, "a text") unless plain.is_a?(::String)

          text = Base::Validation.text(within, plain)
          return Comparisons::TextPart.new(operator, text) if text.length <= LONGEST_PART

          raise InvalidInputError,
                "#{within} must be a text of at most #{LONGEST_PART} code points, not of #{text.length}"
        end

        def keys(place, field, wanted, accepted)
          plain = plain(place, field, wanted)
          (plain.is_a?(::Array) ? plain : [plain]).map { |member| key(place, field, member, accepted) }.uniq
        end

        def key(place, field, member, accepted)
          return ["text", Base::Validation.text(place, member)] if member.is_a?(::String) || field.kind == "identifier"

          case member
          when true, false then nil
          when ::Array, ::Set, ::Hash then raise Base::Validation.failure(place, member, accepted)
          else Base::Validation.number(place, member)
          end
          Documents::StoredDocument.scalar_key(member)
        end

        # Return a value, or each value of a list, as converted by its field.
        def plain(place, field, wanted)
          return field.value(place, wanted) unless list?(wanted)

          values(field, wanted).map { |member, index| field.value("#{place}[#{index}]", member) }
        end

        # @return [Boolean] whether a value is a list of alternatives
        def list?(value)
          case value
          when ::Array, ::Set then true
          else false
          end
        end

        # Return the values among alternatives with their positions, without objects of operators and null.
        def values(field, wanted)
          wanted.each_with_index.reject { |member, _| object?(member) || null_of?(field, member) }
        end

        # @return [Boolean] whether nil is among alternatives
        def null?(field, wanted)
          wanted.any? { |member| null_of?(field, member) }
        end

        # @return [Boolean] whether a value matches a missing field; an id is never missing
        def null_of?(field, value)
          value.equal?(nil) && field.kind != "identifier"
        end

        # @return [Boolean] whether a value represents operators
        def object?(value)
          case value
          when ::Hash, ::Range then true
          else Base::Validation.parameters?(value)
          end
        end

        def objects?(wanted)
          list?(wanted) ? wanted.any? { |member| object?(member) } : object?(wanted) && !wanted.is_a?(::Hash)
        end

        # Return the given value; a range becomes its operators, and parameters become an object.
        def brought(place, given)
          case given
          when ::Range then bounds_of(place, given)
          else Base::Validation.parameters?(given) ? Base::Validation.mapping(place, given) : given
          end
        end

        def bounds_of(place, given)
          ends = [["gte", given.begin], [given.exclude_end? ? "lt" : "lte", given.end]]
          bounds = ends.reject { |_, value| value.nil? || (value.is_a?(::Float) && value.infinite?) }.to_h
          raise Base::Validation.failure(place, given, "a range with a beginning or an end") if bounds.empty?

          bounds
        end

        def conjunction(condition)
          FilterConditions::Conjunction.new([condition])
        end

        def texts(place, value)
          value.is_a?(::String) ? [Base::Validation.text(place, value)] : Base::Validation.texts(place, value)
        end
      end
    end
  end
end
