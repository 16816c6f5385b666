# frozen_string_literal: true

module HybridSearch
  module Base
    # Canonical JSON, with exactly one text for each value: the input of check values and fingerprints (CUR-3).
    module CanonicalJson
      # The maximum number of digits of a whole number, as in strict JSON.
      MOST_DIGITS = 4000
      ESCAPED = /["\\\x00-\x1F]/
      ESCAPES = {
        "\"" => "\\\"", "\\" => "\\\\", "\b" => "\\b", "\f" => "\\f", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t"
      }.freeze
      private_constant :ESCAPED, :ESCAPES

      module_function

      # Return the canonical text of a value: keys in code point order, no blanks, raw UTF-8, no floats.
      #
      # @param value [Object] nil, true, false, an integer, a text, or arrays and hashes of these, whose keys are texts
      # @return [String]
      # @raise [ArgumentError] the value contains anything else, or a text that is not valid UTF-8
      def write(value)
        case value
        when nil then "null"
        when true, false then value.to_s
        when ::Integer then integer(value)
        when ::String then text(value)
        when ::Hash then "{#{sorted(value).map { |key| "#{text(key)}:#{write(value[key])}" }.join(",")}}"
        when ::Array then "[#{value.map { |item| write(item) }.join(",")}]"
        else raise ArgumentError, "canonical JSON holds no floats, and nothing but plain data"
        end
      end

      def sorted(value)
        raise ArgumentError, "the keys of an object are texts" unless value.keys.all?(::String)

        value.keys.sort
      end
      private_class_method :sorted

      def integer(value)
        text = value.bit_length > MOST_DIGITS * 4 ? nil : value.to_s
        return text if text && text.delete_prefix("-").length <= MOST_DIGITS

        raise ArgumentError, "a whole number of too many digits"
      end
      private_class_method :integer

      def text(value)
        utf8 = value.encode(Encoding::UTF_8)
        raise ArgumentError, "a text that is not valid UTF-8" unless utf8.valid_encoding?

        "\"#{utf8.gsub(ESCAPED) { |character| ESCAPES[character] || format("\\u%04x", character.ord) }}\""
      rescue EncodingError
        raise ArgumentError, "a text that is not valid UTF-8"
      end
      private_class_method :text
    end
  end
end
