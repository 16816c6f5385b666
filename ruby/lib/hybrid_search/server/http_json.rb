# frozen_string_literal: true

require "json"

module HybridSearch
  module Server
    # JSON of requests and answers (CUR-6).
    module HttpJson
      # The values of a body may take so many times as much memory as its limit of bytes.
      MEMORY_PER_BYTE = 16

      module_function

      # @param body [String] bytes
      # @param most [Integer] the limit of its bytes
      # @return [Hash{String=>Object}] the object that a body holds
      # @raise [HttpProblem] it is not UTF-8, not strict JSON, or its values would take too much memory
      # @raise [InvalidInputError] it holds something else than an object
      def read(body, most)
        text = body.dup.force_encoding(::Encoding::UTF_8)
        raise HttpProblem.new("invalid_utf8", "body") unless text.valid_encoding?

        Base::Validation.mapping("body", value("body", text, most))
      rescue JSON::JSONError
        raise HttpProblem, "invalid_json"
      end

      # @return [String] the body that holds plain data
      def write(value)
        Base::JsonWriter.write(value)
      end

      # @param name [String] what it was in, for messages
      # @param text [String] strict JSON
      # @param most [Integer] the limit of the bytes of that
      # @return [Object] the value that it holds
      # @raise [HttpProblem] its values would take too much memory
      # @raise [JSON::JSONError] it is not strict JSON
      def value(name, text, most)
        Base::JsonScan.new(MEMORY_PER_BYTE * most).scan(text.b)
        Base::StrictJson.build(text)
      rescue Base::JsonTooLargeError
        raise HttpProblem.new("too_many_values", name)
      end
    end
  end
end
