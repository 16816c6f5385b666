# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Documents
      # Documents as JSON that gives every value back as it was (SQL-2).
      #
      # Floats are written with as many digits as they need, integers with all of theirs. No interpreter need read or
      # write thousands of digits: an integer of more than 10,000 bits is the object `{"\u0000": hexadecimal digits}`,
      # and a key that begins with U+0000 gets one more before it. Only texts that hold an escaped U+0000 have to be
      # looked through for that.
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

        # @param text [String] what {write} gives
        # @return [Object] the stored value, frozen
        def read(text)
          value = JSON.parse(text, max_nesting: false, create_additions: false, freeze: true)
          text.include?(ESCAPED_MARK) ? unmarked(value) : value
        end

        def marked(value)
          case value
          when ::Integer then value.bit_length > MOST_BITS ? { MARK => value.to_s(16) } : value
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
