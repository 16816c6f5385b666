# frozen_string_literal: true

require "json"

module HybridSearch
  module Server
    # Reads and writes the JSON of requests and responses (CUR-6).
    module HttpJson
      # The maximum memory of the values of a body, as a multiple of the body's limit of bytes.
      MEMORY_PER_BYTE = 16

      module_function

      # @param body [String] bytes
      # @param most [Integer] the limit of its bytes
      # @return [Hash{String=>Object}] the object of the body
      # @raise [HttpProblem] the body is not UTF-8, not strict JSON, or its values would take too much memory
      # @raise [InvalidInputError] the value is not an object
      def read(body, most)
        text = body.dup.force_encoding(::Encoding::UTF_8)
        raise HttpProblem.new("invalid_utf8", "body") unless text.valid_encoding?

        Base::Validation.mapping("body", value("body", text, most))
      rescue JSON::JSONError
        raise HttpProblem, "invalid_json"
      end

      # @return [String] the body for plain data
      def write(value)
        Base::JsonWriter.write(value)
      end

      # @param name [String] the place of the text, for messages
      # @param text [String] strict JSON
      # @param most [Integer] the limit of the bytes of that place
      # @return [Object] the value of the text
      # @raise [HttpProblem] the values would take too much memory
      # @raise [JSON::JSONError] the text is not strict JSON
      def value(name, text, most)
        Base::JsonScan.new(MEMORY_PER_BYTE * most).scan(text.b)
        Base::StrictJson.build(text)
      rescue Base::JsonTooLargeError
        raise HttpProblem.new("too_many_values", name)
      end
    end
  end
end
