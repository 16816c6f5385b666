# frozen_string_literal: true

module HybridSearch
  module Rails
    # Converts the `where` of a model to the filters of an index.
    #
    #   { status: %w[live], published_at: 10.days.ago.., lang: { not: "en" }, any: [{ author_id: 1 }, { pinned: true }]
    #     }
    class Conditions
      include Base::ShortInspect

      OPERATORS = %w[eq in not gt gte lt lte contains starts_with ends_with exists].freeze
      # The operators whose operand is not a value of the attribute.
      APART = %w[exists contains starts_with ends_with].freeze
      JOINING = %w[any all].freeze
      private_constant :OPERATORS, :APART, :JOINING

      # @param names [AttributeNames]
      def initialize(names)
        @names = names
      end

      # @param where [Hash, nil] conditions by name; also permitted parameters of a controller
      # @return [Hash{String=>Object}, nil] nil: no condition
      # @raise [InvalidInputError] a name or operator is unknown, or a value has another type than the attribute
      def filters(where)
        where.nil? ? nil : object("where", where)
      end

      private

      def object(place, given)
        conditions = given(place, given).map { |name, wanted| condition(place, name.to_s, wanted) }
        conditions.size == 1 ? conditions.first : { "all" => conditions }
      end

      def given(place, given)
        return Base::Validation.mapping(place, given) unless given.is_a?(::Hash)

        given.each_key do |name|
          next if name.is_a?(::String) || name.is_a?(::Symbol)

          raise Base::Validation.failure("a name in #{place}", name, "a text or a symbol")
        end
      end

      def condition(place, name, wanted)
        within = "#{place}.#{name}"
        return { "not" => object(within, wanted) } if name == "not"
        return { name => list(within, wanted).map { |each| object(within, each) } } if JOINING.include?(name)

        { @names.field(place, name) => value(within, name, wanted) }
      end

      def list(place, wanted)
        return wanted if wanted.is_a?(::Array) && !wanted.empty?

        raise Base::Validation.failure(place, wanted, "a list of conditions")
      end

      def value(place, name, wanted)
        case wanted
        when ::Range then range(place, name, wanted)
        when ::Hash then operators(place, name, wanted)
        when ::ActiveRecord::Relation then value(place, name, wanted.ids)
        when ::Array, ::Set then wanted.map { |each| value(place, name, each) }
        else if Base::ObjectChecks.has?(wanted,
                                        "to_unsafe_h")
               operators(place, name, wanted)
             else
               @names.cast(place, name, wanted)
             end
        end
      end

      def range(place, name, wanted)
        first, last = [wanted.begin, wanted.end].map { |each| each.nil? ? nil : @names.cast(place, name, each) }
        raise Base::Validation.failure(place, wanted, "a range with an end") if first.nil? && last.nil?

        ::Range.new(first, last, wanted.exclude_end?)
      rescue ::ArgumentError => e
        raise e.is_a?(Error) ? e : InvalidInputError.new("#{place} must be a range of values of one kind")
      end

      def operators(place, name, wanted)
        Habits.check("operator in #{place}", Base::Validation.mapping(place, wanted).keys, OPERATORS, Habits::OPERATORS)
        Base::Validation.mapping(place, wanted).to_h do |operator, operand|
          [operator, APART.include?(operator) ? operand : value("#{place}.#{operator}", name, operand)]
        end
      end
    end
  end
end
