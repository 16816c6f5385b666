# frozen_string_literal: true

require "set"

module HybridSearch
  module Storing
    # What a name in filters means (DOC-2).
    class FilterField
      include ShortInspect

      # @return [String] the field of the store
      attr_reader :name
      # @return [String] "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for
      #   availability), or "existence" (nothing but `exists`)
      attr_reader :kind

      # @param name [String]
      # @param kind [String]
      # @yieldparam place [String] what a value is called in messages
      # @yieldparam value [Object]
      # @yieldreturn [Object] the value made plain, before it is checked
      def initialize(name, kind, &value)
        @name = name
        @kind = kind
        @value = value
        freeze
      end

      # @return [Object] a value made plain
      def value(place, value)
        @value.call(place, value)
      end
    end

    # The names that filters of a store have: those of its fields, whatever they are.
    class FilterNames
      include ShortInspect

      KINDS = { "id" => "identifier", "available_int" => "availability" }.freeze

      # @param place [String] where the name stands, for messages
      # @param name [String] as given
      # @return [FilterField] what it means
      # @raise [InvalidInputError] there is no such field
      def field(place, name) # rubocop:disable Lint/UnusedMethodArgument -- other names tell where they stand
        FilterField.new(name, KINDS.fetch(name, "value")) { |_, value| value }
      end
    end

    # Reads filters once: from what is given to the conditions they mean (DOC-2).
    class FilterParser
      include ShortInspect

      MOST_CONDITIONS = 128
      # The number of values that all lists of an object of filters hold together, at most.
      MOST_VALUES = 65_536
      DEEPEST_FILTERS = 16
      OPERATORS = %w[eq in gt gte lt lte exists].freeze
      BOUNDS = %w[gt gte lt lte].freeze
      VALUES = "a text, a number, true or false, or a list of these"
      BY_PATH = "; what is in it is filtered by its path, like metadata.lang"
      ONE_VALUE = "a text, a number, true or false"

      # @return [Set<String>] the fields of the store that the filters ask about
      attr_reader :fields

      # @param names [FilterNames] what the names in them mean
      def initialize(names)
        @names = names
        @conditions = 0
        @values = 0
        @fields = Set.new
      end

      # @param filters [Hash{String=>Object}]
      # @param place [String] where they stand, for messages
      # @param depth [Integer] how deep they stand
      # @return [FilterConditions::Conjunction] what an object of filters asks for
      # @raise [InvalidInputError] a condition of another form, an unknown name, too many of them, or too deep
      def parse(filters, place = "filters", depth = 1)
        if depth > DEEPEST_FILTERS
          raise InvalidInputError, "filters must not be nested more than #{DEEPEST_FILTERS} deep"
        end

        asked = Set.new
        conditions = Validation.mapping(place, filters).map do |name, wanted|
          count(1)
          condition(place, name, wanted, depth, asked)
        end
        FilterConditions::Conjunction.new(conditions)
      end

      # Refuse too many conditions.
      #
      # @param conditions [Integer] how many more there are
      # @return [void]
      def count(conditions)
        @conditions += conditions
        return if @conditions <= MOST_CONDITIONS

        raise InvalidInputError, "filters must not hold more than #{MOST_CONDITIONS} conditions"
      end

      private

      # Refuse too many values in lists.
      def count_values(wanted)
        @values += wanted.size if wanted.is_a?(::Array)
        return if @values <= MOST_VALUES

        raise InvalidInputError, "filters must not hold more than #{MOST_VALUES} values in lists"
      end

      def condition(place, name, wanted, depth, asked)
        within = Validation.member(place, name)
        case name
        when "not" then FilterConditions::Negation.new(parse(wanted, within, depth + 1))
        when "any" then FilterConditions::AnyOf.new(list(within, wanted, depth))
        when "all" then FilterConditions::AllOf.new(list(within, wanted, depth))
        when "must_not" then must_not(within, wanted)
        else
          of_field(within, known_field(place, name, asked), wanted)
        end
      end

      def known_field(place, name, asked)
        field = @names.field(place, name)
        unless asked.add?(field.name)
          raise InvalidInputError,
                "#{Validation.member(place, name)} asks about #{field.name} a second time: put one of the two into all"
        end

        @fields << field.name
        field
      end

      def list(place, wanted, depth)
        raise Validation.failure(place, wanted, "a list of filters") unless wanted.is_a?(::Array)

        count(wanted.size)
        wanted.each_with_index.map { |one, index| parse(one, "#{place}[#{index}]", depth + 1) }
      end

      def must_not(place, wanted)
        conditions = Validation.mapping(place, wanted)
        Validation.known("condition of must_not", conditions.keys, ["exists"])
        names = conditions.key?("exists") ? texts("#{place}.exists", conditions["exists"]) : []
        count(names.size)
        fields = names.uniq.map { |name| @names.field("#{place}.exists", name).name }
        FilterConditions::Missing.new(fields.sort.map { |field| FieldPath.of(field) })
      end

      def of_field(place, field, wanted)
        return operators(place, field, Validation.mapping(place, wanted)) if wanted.is_a?(::Hash)

        count_values(wanted)
        case field.kind
        when "existence" then raise Validation.failure(place, wanted, "an object like {\"exists\": true}")
        when "identifier" then FilterConditions::Identified.new(texts(place, plain(place, field, wanted)))
        when "availability" then available(place, wanted) { |name, value| Validation.integer(name, value, 0, 1) == 1 }
        when "flag" then available(place, wanted) { |name, value| Validation.boolean(name, value) }
        else FilterConditions::Valued.new(FieldPath.of(field.name), keys(place, field, wanted, VALUES))
        end
      end

      def operators(place, field, wanted)
        accepted = %w[value identifier].include?(field.kind) ? OPERATORS : %w[exists]
        Validation.known("operator of #{place}", wanted.keys, accepted, field.name == "metadata" ? BY_PATH : "")
        if wanted.empty?
          raise InvalidInputError, "#{place} must hold at least one operator. Known: #{accepted.join(", ")}"
        end

        count(wanted.size - 1)
        count_values(wanted["in"])
        exists = wanted.key?("exists") ? Validation.boolean("#{place}.exists", wanted["exists"]) : nil
        path = FieldPath.of(field.name)
        return FilterConditions::Exists.new(path, exists) if wanted.keys == ["exists"]

        bounds = BOUNDS.select { |name| wanted.key?(name) }.map { |name| bound(place, field, name, wanted[name]) }
        FilterConditions::Valued.new(path, any_of(place, field, wanted), bounds, exists)
      end

      def available(place, wanted, &flag)
        return FilterConditions::Available.new([flag.call(place, wanted)]) unless wanted.is_a?(::Array)

        flags = wanted.each_with_index.map { |one, index| flag.call("#{place}[#{index}]", one) }
        FilterConditions::Available.new(flags.uniq)
      end

      def any_of(place, field, wanted)
        found = wanted.key?("in") ? members("#{place}.in", field, wanted["in"]) : nil
        return found unless wanted.key?("eq")

        one = single("#{place}.eq", field, wanted["eq"])
        found.nil? || found.include?(one) ? [one] : []
      end

      def members(place, field, wanted)
        return keys(place, field, wanted, ONE_VALUE) if wanted.is_a?(::Array)

        raise Validation.failure(place, wanted, "a list of texts, numbers, true or false")
      end

      def single(place, field, wanted)
        raise Validation.failure(place, wanted, ONE_VALUE) if wanted.is_a?(::Array)

        keys(place, field, wanted, ONE_VALUE)[0]
      end

      def bound(place, field, operator, limit)
        within = "#{place}.#{operator}"
        plain = plain(within, field, limit)
        case plain
        when nil, true, false, ::Array, ::Hash then raise Validation.failure(within, plain, "a number or a text")
        end
        FilterConditions::Bound.new(operator, key(within, field, plain, "a number or a text"))
      end

      def keys(place, field, wanted, accepted)
        plain = plain(place, field, wanted)
        (plain.is_a?(::Array) ? plain : [plain]).map { |member| key(place, field, member, accepted) }.uniq
      end

      def key(place, field, member, accepted)
        return ["text", Validation.text(place, member)] if member.is_a?(::String) || field.kind == "identifier"

        case member
        when true, false then nil
        when nil, ::Array, ::Hash then raise Validation.failure(place, member, accepted)
        else Validation.number(place, member)
        end
        StoredDocument.scalar_key(member)
      end

      # The value, or each of a list, as the names want it.
      def plain(place, field, wanted)
        return field.value(place, wanted) unless wanted.is_a?(::Array)

        wanted.each_with_index.map { |member, index| field.value("#{place}[#{index}]", member) }
      end

      def texts(place, value)
        value.is_a?(::String) ? [Validation.text(place, value)] : Validation.texts(place, value)
      end
    end
  end
end
