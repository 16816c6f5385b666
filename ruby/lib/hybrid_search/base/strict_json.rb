# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Parses JSON from untrusted texts and files strictly, into plain data only (RNK-5, SYN-1). The syntax is that of
    # RFC 8259: no comments, no NaN, no lone surrogates, at most 100 levels deep. Whole numbers have at most 4,000
    # digits. If a key is repeated, the last value counts, at the position of the first.
    module StrictJson
      module_function

      # @param text [String] valid UTF-8
      # @return [Object] the value of the JSON text
      # @raise [JSON::JSONError] the text is not strict JSON
      def parse(text)
        JsonScan.new.scan(text.b)
        build(text)
      end

      # @param text [String] valid UTF-8
      # @return [Hash{String=>Object}, nil] the object of the JSON text, nil if the text is not strict JSON of an object
      def parse_object(text)
        value = parse(text)
        value if value.is_a?(::Hash)
      rescue JSON::JSONError
        nil
      end

      # @param text [String] valid UTF-8 that {JsonScan} has scanned
      # @return [Object] its value
      # @raise [JSON::JSONError] the parts are not in the order of JSON
      def build(text)
        JSON.parse(text, max_nesting: JsonScan::DEEPEST, create_additions: false)
      end
    end
  end
end
