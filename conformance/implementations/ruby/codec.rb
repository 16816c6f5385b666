# frozen_string_literal: true

require "digest"
require "json"
require_relative "internals"

module Conformance
  # Values as JSON that loses nothing (CNF-4), the same form as `implementations/python/codec.py`:
  #
  # - a float: `{"bits": "3fb999999999999a", "decimal": "0.1"}`; also -0.0, subnormals, inf, -inf and nan
  # - an integer: itself below 2^53 in size, else `{"integer": "9007199254740993"}`
  # - a text: itself, or `{"utf8": "ff61"}` (the hex of its bytes) when it is not valid UTF-8
  # - a list, an object with texts as keys, true, false, null: themselves
  # - an object whose order of keys matters: `{"entries": [["b", 1], ["a", 2]]}`, in inputs only
  module Codec
    LARGEST_PLAIN_INTEGER = 2**53
    NAN_BITS = "7ff8000000000000"
    RESERVED_KEYS = [%w[bits decimal], %w[integer], %w[utf8], %w[entries]].freeze

    module_function

    # @return [Object] plain data as JSON-able data in the form above
    def encode(value)
      case value
      when nil, true, false then value
      when ::String then encode_text(value)
      when ::Float then encode_float(value)
      when ::Integer then value.abs < LARGEST_PLAIN_INTEGER ? value : { "integer" => value.to_s }
      when ::Array then value.map { |item| encode(item) }
      when ::Hash then encode_object(value)
      else raise ArgumentError, "a #{value.class} is not plain data: #{value.inspect}"
      end
    end

    # @return [Hash{String=>String}] a float as its shortest decimal and its 16 hex digits; there is one NaN
    def encode_float(value)
      bits = value.nan? ? NAN_BITS : HybridSearch::Base::Numeric.to_bits(value)
      { "bits" => bits, "decimal" => HybridSearch::Base::Numeric.shortest(value) }
    end

    # @return [Object] the inverse of {encode}; bytes that are no UTF-8 stay as they are
    def decode(value)
      case value
      when ::Array then value.map { |item| decode(item) }
      when ::Hash then decode_object(value)
      else value
      end
    end

    # @return [String] the canonical JSON text of encoded data: sorted keys, no blanks, raw UTF-8
    def canonical(encoded)
      JSON.generate(sorted(encoded))
    end

    # @return [String] the SHA-256 of the canonical JSON of encoded data, in hex
    def digest(encoded)
      Digest::SHA256.hexdigest(canonical(encoded))
    end

    def encode_text(value)
      text = value.encoding == ::Encoding::UTF_8 ? value : value.dup.force_encoding(::Encoding::UTF_8)
      text.valid_encoding? ? text : { "utf8" => value.unpack1("H*") }
    end
    private_class_method :encode_text

    def encode_object(value)
      raise ArgumentError, "an object with just these keys stands for something else" if RESERVED_KEYS.include?(
        value.keys.map(&:to_s).sort
      )

      value.to_h do |key, item|
        raise ArgumentError, "an object's key must be a valid text, not #{key.inspect}" unless
          key.is_a?(::String) && key.valid_encoding?

        [key, encode(item)]
      end
    end
    private_class_method :encode_object

    def decode_object(value)
      return [value["bits"]].pack("H*").unpack1("G") if value.size == 2 && value.key?("bits") && value.key?("decimal")
      return value["integer"].to_i if value.size == 1 && value.key?("integer")
      return [value["utf8"]].pack("H*").force_encoding(::Encoding::UTF_8) if value.size == 1 && value.key?("utf8")

      if value.size == 1 && value.key?("entries")
        return value["entries"].to_h { |key, item| [decode(key), decode(item)] }
      end

      value.transform_values { |item| decode(item) }
    end
    private_class_method :decode_object

    def sorted(value)
      case value
      when ::Array then value.map { |item| sorted(item) }
      when ::Hash then value.sort.to_h.transform_values { |item| sorted(item) }
      else value
      end
    end
    private_class_method :sorted
  end
end
