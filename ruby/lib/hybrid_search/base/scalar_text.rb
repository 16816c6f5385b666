# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Reads plain values from text, as command lines and addresses contain them (CUR-5, CUR-6).
    module ScalarText
      INTEGER = /\A[+-]?[0-9]{1,18}\z/
      NUMBER = /\A[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\z/
      WORDS = { "true" => true, "false" => false, "null" => nil }.freeze
      private_constant :INTEGER, :NUMBER, :WORDS

      module_function

      # @return [Integer, nil] the integer of at most 18 digits that the text contains
      def integer(text)
        text.to_i if text.match?(INTEGER)
      end

      # @return [Float, nil] the number that the text contains
      def number(text)
        Numeric.parse_decimal(text) if text.match?(NUMBER)
      end

      # @return [Object] the value of a filter: a number, true, false, null or a text in quotes as in JSON, otherwise
      #   the text itself
      def scalar(text)
        found = integer(text) || number(text)
        return found if found
        return WORDS[text] if WORDS.key?(text)

        text.length > 1 && text.start_with?('"') && text.end_with?('"') ? unquoted(text) : text
      end

      def unquoted(text)
        StrictJson.parse(text)
      rescue JSON::JSONError
        text
      end
      private_class_method :unquoted
    end
  end
end
