# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # An order of documents by their fields (DOC-1); later fields break ties of earlier ones.
      #
      # In ascending order, numbers come before texts (by code points); descending order is the reverse. A document that
      # lacks the field, or has a value of another type, comes last in both. Of a list, the smallest member counts in
      # ascending order and the largest in descending order.
      class SortOrder
        include Base::ShortInspect

        DIRECTIONS = %w[asc desc].freeze
        SPELLED = { "asc" => "asc", "ASC" => "asc", "desc" => "desc", "DESC" => "desc" }.freeze
        ONE_FORM = "a name, an object like {\"metadata.year\": \"desc\"}, or a [name, direction] pair"
        FORMS = "a name, an object like {\"metadata.year\": \"desc\"}, or a list of names, objects and " \
                "[name, direction] pairs"

        # Return an order as pairs of a name and a direction.
        #
        # An order is a list of pairs, of objects of a name and a direction, and of texts; or one of these alone. A text
        # is a name, sorted in ascending order; with "-" before it, or " desc" or ":desc" after it, in descending order.
        module Pairs
          module_function

          # @param order_by [Array, Hash, String, Symbol]
          # @return [Array<Array(String, String)>]
          # @raise [InvalidInputError] any other value
          def of(order_by)
            case order_by
            when ::String, ::Symbol, ::Hash then of_one("order_by", order_by)
            when ::Array
              return of_one("order_by", order_by) if pair?(order_by)

              order_by.each_with_index.flat_map { |one, index| of_one("order_by[#{index}]", one) }
            else
              raise Base::Validation.failure("order_by", order_by, FORMS) unless Base::Validation.parameters?(order_by)

              of_one("order_by", order_by)
            end
          end

          def of_one(place, given)
            case given
            when ::Symbol then [of_text(given.to_s)]
            when ::String then [of_text(Base::Validation.text(place, given))]
            when ::Array
              raise Base::Validation.failure(place, given, ONE_FORM) unless given.size == 2

              [[field_name(place, given[0]), direction("#{place}[1]", given[1])]]
            when ::Hash then of_object(place, given)
            else
              raise Base::Validation.failure(place, given, ONE_FORM) unless Base::Validation.parameters?(given)

              of_object(place, given)
            end
          end
          private_class_method :of_one

          def of_object(place, given)
            Base::Validation.mapping(place, given).map do |name, way|
              [name, direction(Base::Validation.member(place, name), way)]
            end
          end
          private_class_method :of_object

          # Parse a text: "metadata.year", "-metadata.year", "metadata.year desc" or "metadata.year:desc".
          def of_text(text)
            return [text[1..], "desc"] if text.start_with?("-")

            [" ", ":"].each do |sign|
              name, _, direction = text.rpartition(sign)
              return [name, SPELLED[direction]] if !name.empty? && SPELLED.key?(direction)
            end
            [text, "asc"]
          end
          private_class_method :of_text

          def field_name(place, given)
            Base::Validation.text("#{place}[0]", plain(given))
          end
          private_class_method :field_name

          def direction(place, given)
            text = plain(given)
            Base::Validation.choice(place, word?(text) ? SPELLED.fetch(text, text) : given, DIRECTIONS)
          end
          private_class_method :direction

          def plain(given)
            case given
            when ::Symbol then given.to_s
            else given
            end
          end
          private_class_method :plain

          def word?(given)
            case given
            when ::String then true
            else false
            end
          end
          private_class_method :word?

          # @return [Boolean] whether a list is itself a pair of a name and a direction, not a list of two names
          def pair?(given)
            texts = given.map { |part| plain(part) }
            texts.size == 2 && texts.all? { |text| word?(text) } && SPELLED.key?(texts[1])
          end
          private_class_method :pair?
        end

        # @return [Array<Array(Documents::FieldPath, Boolean)>] the path of each pair, and whether the order is
        #   descending
        attr_reader :criteria

        # @param order_by [Array, Hash, String, Symbol] see {Pairs}
        # @return [Array<Array(String, String)>] the pairs of a name and a direction that the order stands for
        # @raise [InvalidInputError] any other value
        def self.pairs(order_by)
          Pairs.of(order_by)
        end

        # @param order_by [Array, Hash, String, Symbol] see {Pairs}
        # @raise [InvalidInputError] any other value
        def initialize(order_by)
          @criteria = Pairs.of(order_by).map do |name, direction|
            [Documents::FieldPath.of(name), direction == "desc"].freeze
          end.freeze
          freeze
        end

        # @return [Boolean] whether there is no field to sort by
        def empty?
          @criteria.empty?
        end

        # @param ranking [Array<Array(String, Float)>] (id, score) pairs
        # @yieldparam path [Documents::FieldPath]
        # @yieldreturn [Array<Object, nil>] the values of the documents at the path
        # @return [Array<Array(String, Float)>] the ranking in this order; ties retain their order
        def arrange(ranking)
          return ranking if empty?

          columns = @criteria.reverse.map { |path, descending| yield(path).map { |value| key(value, descending) } }
          columns.reverse! # values are read from the last field to the first
          keyed = ranking.each_with_index.map { |pair, place| [columns.map { |column| column[place] }, place, pair] }
          keyed.sort { |left, right| compare_places(left, right) }.map(&:last)
        end

        # @param fields [Hash{String=>Object}] a document
        # @return [Array<Integer, Float, String, nil>] the value that decides for each field, or nil if there is no
        #   value to sort by
        def values(fields)
          @criteria.map { |path, descending| key(path.value(fields), descending)&.last }
        end

        # @param left [Array<Integer, Float, String, nil>] the values of a document
        # @param right [Array<Integer, Float, String, nil>] the values of another document
        # @return [Integer] -1 if the left values come first, 1 if the right ones do, and otherwise 0
        def compare(left, right)
          compare_all(left.map { |value| scalar(value) }, right.map { |value| scalar(value) })
        end

        private

        def compare_places(left, right)
          order = compare_all(left[0], right[0])
          order.zero? ? left[1] <=> right[1] : order
        end

        def compare_all(left, right)
          @criteria.each_with_index do |(_, descending), index|
            order = compare_keys(left[index], right[index], descending)
            return order unless order.zero?
          end
          0
        end

        def compare_keys(left, right, descending)
          return (left ? 0 : 1) <=> (right ? 0 : 1) unless left && right

          descending ? right <=> left : left <=> right
        end

        def key(value, descending)
          keys = (value.is_a?(::Array) ? value : [value]).filter_map { |member| scalar(member) }
          descending ? keys.max : keys.min
        end

        def scalar(value)
          case value
          when ::Integer, ::Float then [0, value]
          when ::String then [1, value]
          end
        end

        # The order of an empty `order_by`.
        NONE = new([])
      end
    end
  end
end
