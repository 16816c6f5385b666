# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # Counts the tokens of texts, for the sizes of chunks (CHK-1).
    class TokenCounter
      include Base::ShortInspect

      # The maximum number of letters and digits of one token, not counting marks.
      LONGEST_TOKEN = 8
      # The maximum number of marks that belong to the character before them.
      MOST_MARKS = 3
      ACCEPTED = "a callable, or an object with tokenize"

      mark = Base::Characters.character_class("MARK")
      letters = %w[ALPHABETIC DIGIT].map { |name| Base::Characters.character_class(name).without(mark).pattern }.join
      single = %w[HAN KANA HANGUL].map { |name| Base::Characters.character_class(name).pattern }.join
      marks = "[#{mark.pattern}]{0,#{MOST_MARKS}}"
      # The last alternative also matches single characters; they come first since that is faster.
      TOKEN = %r{[!-/:-@\[-`\{-~#{single}]#{marks}|(?:[#{letters}]#{marks}){1,#{LONGEST_TOKEN}}|[^#{
        Base::Characters.character_class("WHITE").pattern
      }]#{marks}}
      private_constant :LONGEST_TOKEN, :MOST_MARKS, :ACCEPTED, :TOKEN

      # @param text [String]
      # @return [Array<String>] its tokens in order; they cover all its characters except WHITE
      def self.tokens(text)
        text.scan(TOKEN)
      end

      # @param tokenizer [#tokenize, #call, nil] an object with `tokenize`, or a function that returns the tokens of a
      #   text or their number; nil counts those of {tokens}
      # @raise [InvalidInputError] the tokenizer is neither
      def initialize(tokenizer = nil)
        @count = tokenizer.nil? ? nil : accepted(tokenizer)
        freeze
      end

      # @param text [String]
      # @return [Integer] the number of its tokens
      # @raise [InvalidInputError] the tokenizer failed, or returned neither a list nor a number
      def count(text)
        function = @count
        return text.scan(TOKEN).size if function.nil?

        answer = asked(function, text)
        return answer.size if answer.is_a?(::Array)
        return answer if answer.is_a?(::Integer) && !answer.negative?

        raise Base::Validation.failure("the tokenizer's answer", answer, "a list of tokens or their number")
      end

      private

      def asked(function, text)
        function.call(text)
      rescue StandardError => e
        raise InvalidInputError, "the tokenizer failed: #{Base::Validation.foreign_error(e)}"
      end

      def accepted(value)
        return value.method(:tokenize) if Base::ObjectChecks.has?(value, "tokenize")
        raise Base::Validation.failure("tokenizer", value, ACCEPTED) unless Base::ObjectChecks.able?(value)

        value
      end
    end
  end
end
