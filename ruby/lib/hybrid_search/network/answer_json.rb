# frozen_string_literal: true

require "json"

module HybridSearch
  # The JSON of an answer, read strictly and within bounds of memory and time.
  module AnswerJson
    ALWAYS = 65_536
    CONTINUATION = "\x80-\xBF".b.freeze
    OF_FOUR = "\xF0-\xFF".b.freeze
    private_constant :ALWAYS, :CONTINUATION, :OF_FOUR

    module_function

    # Text and values together may take twice the largest body, roughly, and 64 KiB in any case.
    #
    # @param body [String] UTF-8 as ASCII-8BIT; emptied once values are built
    # @param max_response_bytes [Integer] the largest body that was allowed
    # @param check [#call, nil] called now and then; may raise
    # @return [Object] the value that a body holds, once it is known to be strict JSON that takes not too much memory
    # @raise [ExchangeError] it is no such
    def parse(body, max_response_bytes, check = nil)
      check&.call
      width, characters = text_memory(body)
      JsonScan.new((2 * max_response_bytes) + ALWAYS - (width * characters), width, check).scan(body)
      build(body, check)
    rescue JsonTooLargeError
      raise ExchangeError.new("returned JSON that would take too much memory", retryable: false)
    rescue JSON::JSONError
      raise ExchangeError.new("returned invalid JSON", retryable: false)
    end

    def build(body, check)
      text = body.force_encoding(Encoding::UTF_8)
      raise JSON::ParserError, "not UTF-8" unless text.valid_encoding?

      check&.call
      StrictJson.build(text).tap { body.clear }
    end
    private_class_method :build

    # How many bytes a character of a text may take in memory of those languages that take most, and how many it has.
    def text_memory(body)
      return [1, body.bytesize] if body.ascii_only?

      [body.count(OF_FOUR).positive? ? 4 : 2, body.bytesize - body.count(CONTINUATION)]
    end
    private_class_method :text_memory
  end
end
