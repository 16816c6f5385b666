# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # Makes filters from conditions that are written as texts, on a command line or in a query string (CUR-5, CUR-6).
      module FilterTexts
        # The operators whose value is always a text, even if it looks like a number.
        OF_TEXTS = %w[contains starts_with ends_with].freeze
        private_constant :OF_TEXTS

        module_function

        # Return filters that require all conditions; the values of a repeated name are alternatives.
        #
        # @param conditions [Array<Array(String, String, String)>] a name, an operator ("" for equality) and a value as
        #   text, in the given order
        # @yieldparam condition [Array(String, String, String)] a comparison that is repeated
        # @yieldreturn [Exception] the error for it
        # @return [Hash{String=>Object}]
        def filters(conditions)
          equal = {}
          unequal = {}
          compared = {}
          conditions.each do |name, operator, text|
            case operator
            when "in" then (equal[name] ||= []).concat(items(text).map { |item| Base::ScalarText.scalar(item) })
            when "" then (equal[name] ||= []) << Base::ScalarText.scalar(text)
            when "not" then (unequal[name] ||= []) << Base::ScalarText.scalar(text)
            else
              sides = compared[name] ||= {}
              raise yield([name, operator, text]) if sides.key?(operator)

              value = Base::ScalarText.scalar(text)
              sides[operator] = OF_TEXTS.include?(operator) && !value.is_a?(::String) ? text : value
            end
          end
          written(equal, unequal, compared)
        end

        # @param given [Object, nil] filters as data
        # @param plain [Hash{String=>Object}] the filters of conditions
        # @return [Object] filters that require both; nil if there are neither
        def joined(given, plain)
          return given || (plain unless plain.empty?) if given.nil? || plain.empty?
          return { **given, **plain } if given.is_a?(::Hash) && !given.keys.intersect?(plain.keys)

          { "all" => [given, plain] }
        end

        def written(equal, unequal, compared)
          plain = equal.transform_values { |values| one_or_all(values) }
          compared.each { |name, sides| plain[name] = equal.key?(name) ? { "in" => equal[name], **sides } : sides }
          plain["not"] = { "any" => unequal.map { |name, values| { name => one_or_all(values) } } } if unequal.any?
          plain
        end
        private_class_method :written

        def items(text)
          text.empty? ? [""] : text.split(",", -1)
        end
        private_class_method :items

        def one_or_all(values)
          values.size == 1 ? values.first : values
        end
        private_class_method :one_or_all
      end
    end
  end
end
