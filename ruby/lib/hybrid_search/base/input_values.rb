# frozen_string_literal: true

module HybridSearch
  module Base
    # Converts values that callers pass into the one form in which they are stored and compared (IDX-4).
    module InputValues
      DEEPEST_ATTRIBUTES = 16
      # The maximum number of digits of a decimal: those of a 128-bit decimal of IEEE 754.
      MOST_DIGITS = 34
      LARGEST_EXPONENT = 309
      ONE_VALUE = "a text, a number, true, false, null, a date or a time"

      module_function

      # @return [String] an id as a text; an integer becomes its decimal digits
      # @raise [InvalidInputError] any other value, or an integer of more than {Validation::SHOWN_BITS} bits
      def identifier(name, value)
        case value
        when ::Symbol then return Validation.text(name, value.to_s)
        when ::String then return Validation.text(name, value)
        when ::Integer then return value.to_s if value.abs.bit_length <= Validation::SHOWN_BITS
        end
        raise failure(name, value, "a text or an integer")
      end

      # @return [Array<String>] a list of ids as texts
      def identifiers(name, value)
        unless ::Array === value # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
          raise Validation.failure(name, value, "a list of texts or integers")
        end

        value.each_with_index.map { |item, index| identifier("#{name}[#{index}]", item) }
      end

      # Return a single value as it is stored. A date is stored as `2024-05-01` and a time as
      # `2024-05-01T09:30:00.000000Z`, in UTC, so that the order of the texts is the order of the times. A decimal
      # becomes an integer if it is whole, otherwise the nearest double.
      #
      # @param name [String] the name of the value in messages
      # @param value [Object] the value to convert
      # @param accepted [String] the accepted values, for messages
      # @return [String, Integer, Float, Boolean, nil]
      # @raise [InvalidInputError] the value has another type, or is a number that is not finite
      def plain(name, value, accepted = ONE_VALUE)
        case value
        when nil, true, false, ::Integer then value
        when ::Symbol then Validation.text(name, value.to_s)
        when ::String then Validation.text(name, value)
        when ::Float then Validation.number(name, value)
        when ::Time then time(name, value.getutc)
        else of_library(name, value, accepted)
        end
      end

      # Convert attributes. Dots in a key separate the keys of nested objects: `{ "file.name" => "a" }` is stored as `{
      # "file" => { "name" => "a" } }`.
      #
      # @return [Hash{String=>Object}] a document's own attributes as they are stored: an object of values, lists of
      #   values, and such objects
      # @raise [InvalidInputError] a key has an empty step, two keys lead to one place, a value has another type, or
      #   objects are nested too deep
      def attributes(name, value, depth = 1)
        check_depth(name, depth)
        stored = {}
        Validation.mapping(name, value).each do |key, item|
          *outer, last = steps(name, key)
          check_depth(name, depth + outer.size)
          within = outer.inject(stored) do |object, step|
            object[step] = {} if object[step].nil?
            object[step].is_a?(::Hash) ? object[step] : raise(conflict(name, key))
          end
          attribute = attribute(Validation.member(name, key), item, depth + outer.size)
          raise conflict(name, key) unless placed?(within, last, attribute)
        end
        stored
      end

      # Return a value whose class exists only if its library is loaded.
      def of_library(name, value, accepted)
        if defined?(::DateTime) && ::DateTime === value # rubocop:disable Style/CaseEquality -- as above
          time(name, value.new_offset(0).gregorian)
        elsif defined?(::Date) && ::Date === value # rubocop:disable Style/CaseEquality -- as above
          date(name, value.gregorian)
        elsif defined?(::BigDecimal) && ::BigDecimal === value # rubocop:disable Style/CaseEquality -- as above
          decimal(name, value)
        else
          raise failure(name, value, accepted)
        end
      end
      private_class_method :of_library

      def check_depth(name, depth)
        return if depth <= DEEPEST_ATTRIBUTES

        raise InvalidInputError, "#{name} must not be nested more than #{DEEPEST_ATTRIBUTES} deep"
      end
      private_class_method :check_depth

      def steps(name, key)
        steps = key.split(".", -1)
        return steps unless steps.empty? || steps.any?(&:empty?)

        shown = Validation.describe(key)
        raise InvalidInputError,
              "a key of #{name} must hold no empty name, not #{shown}: dots lead into objects, as in file.name"
      end
      private_class_method :steps

      # Store a value at a free key, or merge an object into an object; return whether nothing was in its way.
      def placed?(stored, key, value)
        there = stored[key]
        if there.nil?
          stored[key] = value
          return true
        end
        return value.nil? unless there.is_a?(::Hash) && value.is_a?(::Hash)

        value.all? { |name, item| placed?(there, name, item) }
      end
      private_class_method :placed?

      def conflict(name, key)
        shown = Validation.describe(key)
        InvalidInputError.new("the key #{shown} of #{name} has the place of another key: dots lead into objects")
      end
      private_class_method :conflict

      def attribute(name, value, depth)
        case value
        when ::Hash then attributes(name, value, depth + 1)
        when ::Array then value.each_with_index.map { |item, index| plain("#{name}[#{index}]", item) }
        else plain(name, value)
        end
      end
      private_class_method :attribute

      def decimal(name, value)
        unless value.finite?
          raise InvalidInputError, "#{name} must be a finite number, not an infinite or undefined decimal"
        end

        sign, digits, _, exponent = value.split # the value is 0.digits times ten to the exponent
        return 0 if value.zero?

        digits = digits.sub(/0+\z/, "")
        check_decimal(name, digits, exponent)
        minus = sign.negative? ? "-" : ""
        return "#{minus}#{digits.ljust(exponent, "0")}".to_i if exponent >= digits.size

        Numeric.parse_decimal("#{minus}0.#{digits}e#{[exponent, -LARGEST_EXPONENT * 2].max}")
      end
      private_class_method :decimal

      def check_decimal(name, digits, exponent)
        if digits.size > MOST_DIGITS
          raise InvalidInputError, "#{name} must be a decimal of at most #{MOST_DIGITS} digits, not of #{digits.size}"
        end
        return unless exponent > LARGEST_EXPONENT

        raise InvalidInputError, "#{name} must be a decimal below 1e+309 in size"
      end
      private_class_method :check_decimal

      def time(name, utc)
        in_reach(name, utc)
        utc.strftime("%Y-%m-%dT%H:%M:%S.%6NZ")
      end
      private_class_method :time

      def date(name, value)
        in_reach(name, value)
        value.strftime("%Y-%m-%d")
      end
      private_class_method :date

      def in_reach(name, value)
        return if value.year.between?(1, 9999)

        raise InvalidInputError, "#{name} must be a time of the years 1 to 9999 in UTC"
      end
      private_class_method :in_reach

      # Return the error for a value of another type, with advice for types that messages have no other word for.
      def failure(name, value, accepted)
        wrong = Validation.failure(name, value, accepted)
        return wrong unless Validation.foreign?(value)

        InvalidInputError.new("#{wrong.message}; give it as a text or a number")
      end
      private_class_method :failure
    end
  end
end
