# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Documents
      # Documents as JSON that preserves every value exactly (SQL-2).
      #
      # Floats are written with as many digits as they need, integers with all their digits. Since interpreters limit
      # the number of decimal digits, an integer of more than 10,000 bits is written as the object `{"\u0000":
      # hexadecimal digits}`. A key that begins with U+0000 gets another U+0000 before it. Only texts that contain an
      # escaped U+0000 have to be searched for these forms.
      module StoredJson
        MARK = "\0"
        ESCAPED_MARK = '"\\u0000'
        MOST_BITS = 10_000

        module_function

        # @param value [Object] a stored value
        # @return [String] its JSON
        def write(value)
          JSON.generate(marked(value), max_nesting: 0)
        end

        # @param text [String] an output of {write}
        # @return [Object] the stored value, frozen
        def read(text)
          value = JSON.parse(text, max_nesting: false, create_additions: false, freeze: true)
          text.include?(ESCAPED_MARK) ? unmarked(value) : value
        end

        def marked(value)
          case value
          when ::Integer then value.abs.bit_length > MOST_BITS ? { MARK => value.to_s(16) } : value
          when ::Array then value.map { |item| marked(item) }
          when ::Hash
            value.to_h { |key, item| [key.start_with?(MARK) ? MARK + key : key, marked(item)] }
          else value
          end
        end
        private_class_method :marked

        def unmarked(value)
          return value.map { |item| unmarked(item) }.freeze if value.is_a?(::Array)
          return value unless value.is_a?(::Hash)
          return value[MARK].to_i(16) if value.key?(MARK)

          value.to_h { |key, item| [key.delete_prefix(MARK), unmarked(item)] }.freeze
        end
        private_class_method :unmarked
      end
    end
  end
end
