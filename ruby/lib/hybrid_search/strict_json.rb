# frozen_string_literal: true

require "json"

module HybridSearch
  # JSON out of texts and files that others wrote (RNK-5, SYN-1): JSON as RFC 8259 has it, with no comments, no NaN, no
  # lone surrogates, at most 100 levels deep, and never more than data. Whole numbers have at most 4,000 digits. Of
  # equal keys the last value counts, in the place of the first.
  module StrictJson
    DEEPEST = 100
    ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|.)/m
    GRAMMAR = %r{
      (?<blank>[ \t\n\r]*){0}
      (?<string>"(?>[^"\\\u{0}-\u{1F}]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"){0}
      (?<number>-?(?:0|[1-9][0-9]{0,3999})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?){0}
      (?<array>\[(?>\g<blank>\]|\g<value>(?:,\g<value>)*\])){0}
      (?<member>\g<blank>\g<string>\g<blank>:\g<value>){0}
      (?<object>\{(?>\g<blank>\}|\g<member>(?:,\g<member>)*\})){0}
      (?<value>\g<blank>(?>\g<string>|\g<number>|\g<array>|\g<object>|true|false|null)\g<blank>){0}
      \A\g<value>\z
    }x
    private_constant :ESCAPE, :GRAMMAR

    module_function

    # @param text [String] valid UTF-8
    # @return [Object] the value a text holds
    # @raise [JSON::JSONError] the text is not strict JSON
    def parse(text)
      raise JSON::ParserError, "half a surrogate pair" if lone_surrogate?(text)

      value = JSON.parse(text, max_nesting: DEEPEST, create_additions: false)
      raise JSON::ParserError, "not strict JSON" unless GRAMMAR.match?(text)

      value
    end

    # @param text [String] valid UTF-8
    # @return [Hash{String=>Object}, nil] the object a text holds, nil if it is not strict JSON of an object
    def parse_object(text)
      value = parse(text)
      value if value.is_a?(::Hash)
    rescue JSON::JSONError
      nil
    end

    # @return [Boolean] whether an escape is half a surrogate pair without the other half
    def lone_surrogate?(text)
      text = text.b # escapes are ASCII, and places in bytes cost nothing
      waiting_at = -1
      position = 0
      while (match = ESCAPE.match(text, position))
        position = match.end(0)
        point = match[1].to_s.hex
        low = point.between?(0xDC00, 0xDFFF)
        return true if low != (waiting_at == match.begin(0)) || (waiting_at >= 0 && !low)

        waiting_at = point.between?(0xD800, 0xDBFF) ? position : -1
      end
      waiting_at >= 0
    end
    private_class_method :lone_surrogate?
  end
end
