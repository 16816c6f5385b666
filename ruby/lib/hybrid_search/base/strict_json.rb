# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # JSON out of texts and files that others wrote (RNK-5, SYN-1): JSON as RFC 8259 has it, with no comments, no NaN,
    # no lone surrogates, at most 100 levels deep, and never more than data. Whole numbers have at most 4,000 digits. Of
    # equal keys the last value counts, in the place of the first.
    module StrictJson
      module_function

      # @param text [String] valid UTF-8
      # @return [Object] the value a text holds
      # @raise [JSON::JSONError] the text is not strict JSON
      def parse(text)
        JsonScan.new.scan(text.b)
        build(text)
      end

      # @param text [String] valid UTF-8
      # @return [Hash{String=>Object}, nil] the object a text holds, nil if it is not strict JSON of an object
      def parse_object(text)
        value = parse(text)
        value if value.is_a?(::Hash)
      rescue JSON::JSONError
        nil
      end

      # @param text [String] valid UTF-8 that {JsonScan} has looked through
      # @return [Object] its value
      # @raise [JSON::JSONError] the parts are not in the order of JSON
      def build(text)
        JSON.parse(text, max_nesting: JsonScan::DEEPEST, create_additions: false)
      end
    end
  end
end
