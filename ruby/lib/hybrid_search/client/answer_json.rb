# frozen_string_literal: true

require "json"

module HybridSearch
  module Client
    # The JSON of an answer, read strictly and within bounds of memory and time.
    module AnswerJson
      ALWAYS = 65_536
      CONTINUATION = "\x80-\xBF".b.freeze
      OF_FOUR = /[\xF0-\xFF]/n
      WIDEST = 4
      # Nothing can interrupt the making of values; it takes no longer than so many looks through the same text.
      BUILD_LOOKS = 6
      private_constant :ALWAYS, :CONTINUATION, :OF_FOUR, :WIDEST, :BUILD_LOOKS

      module_function

      # @param max_response_bytes [Integer] the largest body
      # @return [Integer] how many bytes body and text, or text and values, may take together
      def most_memory(max_response_bytes)
        (2 * max_response_bytes) + ALWAYS
      end

      # Body and text together, and text and values together, may take twice the largest body, roughly, and 64 KiB in
      # any case.
      #
      # @param body [String] UTF-8 as ASCII-8BIT; emptied once values are built
      # @param max_response_bytes [Integer] the largest body that was allowed
      # @param deadline [Deadline, nil] when the value must be there; nil: any time
      # @return [Object] the value that a body holds, once it is known to be strict JSON that takes not too much memory
      # @raise [ExchangeError] it is no such, or there is not time enough left
      def parse(body, max_response_bytes, deadline = nil)
        began = deadline&.left
        look(body, most_memory(max_response_bytes), deadline)
        text = body.force_encoding(Encoding::UTF_8)
        raise JSON::ParserError, "not UTF-8" unless text.valid_encoding?

        deadline&.demand(BUILD_LOOKS * (began - deadline.left))
        Base::StrictJson.build(text).tap { body.clear }
      rescue Base::JsonTooLargeError
        raise ExchangeError.new("returned JSON that would take too much memory", retryable: false)
      rescue JSON::JSONError
        raise ExchangeError.new("returned invalid JSON", retryable: false)
      end

      def look(body, most_bytes, deadline)
        width, characters = text_memory(body)
        deadline&.check
        raise Base::JsonTooLargeError, "too large" if body.bytesize + (width * characters) > most_bytes

        value_width = body.include?("\\u") ? WIDEST : width
        Base::JsonScan.new(most_bytes - (width * characters), value_width, deadline&.method(:check)).scan(body)
      end
      private_class_method :look

      # How many bytes a character of a text may take in memory of those languages that take most, and how many it has.
      def text_memory(body)
        return [1, body.bytesize] if body.ascii_only?

        [body.match?(OF_FOUR) ? 4 : 2, body.bytesize - body.count(CONTINUATION)]
      end
      private_class_method :text_memory
    end
  end
end
