# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Plain data as JSON, the same bytes in both languages (CUR-5, CUR-6).
    module JsonWriter
      module_function

      # @param value [Object] plain data, whose floats are finite
      # @return [String] a value as JSON in one line: no blanks, characters as they are, the shortest floats
      def write(value)
        add(value, +"")
      end

      def add(value, text)
        case value
        when ::Hash then add_all(value, text, "{", "}") { |name, item| add(item, text << JSON.generate(name) << ":") }
        when ::Array then add_all(value, text, "[", "]") { |item| add(item, text) }
        when ::Float then text << number(value)
        else text << JSON.generate(value)
        end
      end
      private_class_method :add

      def add_all(items, text, opening, closing)
        text << opening
        items.each_with_index do |item, place|
          text << "," unless place.zero?
          yield item
        end
        text << closing
      end
      private_class_method :add_all

      def number(value)
        value.finite? ? Numeric.shortest(value) : JSON.generate(value) # which refuses it
      end
      private_class_method :number
    end
  end
end
