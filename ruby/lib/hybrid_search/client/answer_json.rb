# frozen_string_literal: true

require "json"

module HybridSearch
  module Client
    # Parses the JSON of a response strictly, within bounds of memory and time.
    module AnswerJson
      ALWAYS = 65_536
      CONTINUATION = "\x80-\xBF".b.freeze
      OF_FOUR = /[\xF0-\xFF]/n
      WIDEST = 4
      # The number of scans of a text that take at least as long as building its values, which cannot be interrupted.
      BUILD_LOOKS = 6
      private_constant :ALWAYS, :CONTINUATION, :OF_FOUR, :WIDEST, :BUILD_LOOKS

      module_function

      # @param max_response_bytes [Integer] the largest body
      # @return [Integer] the maximum memory in bytes of body and text together, and of text and values together
      def most_memory(max_response_bytes)
        (2 * max_response_bytes) + ALWAYS
      end

      # Return the value of a body, after checking that it is strict JSON that does not take too much memory. Body and
      # text together, and text and values together, may take twice the largest body plus 64 KiB.
      #
      # @param body [String] UTF-8 as ASCII-8BIT; emptied once values are built
      # @param max_response_bytes [Integer] the largest body that was allowed
      # @param deadline [Deadline, nil] the time by which the value must be available; nil sets no limit
      # @return [Object]
      # @raise [ExchangeError] the body is not such JSON, or too little time is left
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

      # Return the maximum number of bytes of a character of the text in memory, in the language that takes most, and
      # the number of characters.
      def text_memory(body)
        return [1, body.bytesize] if body.ascii_only?

        [body.match?(OF_FOUR) ? 4 : 2, body.bytesize - body.count(CONTINUATION)]
      end
      private_class_method :text_memory
    end
  end
end
