# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Writes plain data as JSON, with the same bytes in both languages (CUR-5, CUR-6).
    module JsonWriter
      module_function

      # @param value [Object] plain data, whose floats are finite
      # @return [String] the value as JSON on one line: no blanks, unescaped characters, floats in their shortest form
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
        value.finite? ? Numeric.shortest(value) : JSON.generate(value) # JSON.generate raises
      end
      private_class_method :number
    end
  end
end
