# frozen_string_literal: true

module HybridSearch
  module Text
    # Lets a function serve as a tokenizer (TXT-9). Tokens are the words that the function returns for a normalised
    # text; they have no parts, frequencies or tags.
    class FunctionTokenizer
      include Base::ShortInspect

      METHODS = %w[tokenize fine_grained frequency tag normalize].freeze
      ACCEPTED = "a callable, or an object with tokenize, fine_grained, frequency, tag and normalize"
      private_constant :METHODS, :ACCEPTED

      # @param name [String] the name of the argument
      # @param value [#tokenize, #call]
      # @return [#tokenize] the given tokenizer: an object with the methods of one, or a function that cuts texts
      # @raise [InvalidInputError] the value is neither
      def self.accept(name, value)
        return value if value.is_a?(Tokenizer)
        if METHODS.none? { |method| Base::ObjectChecks.has?(value, method) } && Base::ObjectChecks.able?(value)
          return new(value)
        end

        Base::ObjectChecks.having(name, value, METHODS, ACCEPTED)
      end

      # @param function [#call] returns the words of a text, as a list or separated by white space
      def initialize(function)
        @function = function
        @normalizer = Normalizer.new
        freeze
      end

      # @param text [String]
      # @return [Array<String>] the words, in order; white space within one divides it
      # @raise [InvalidInputError] the text is not a text, or the function failed, or returned neither a text nor a list
      #   of texts
      def tokenize(text)
        answer = cut(@normalizer.normalize(text))
        unless answer.is_a?(::String)
          unless answer.is_a?(::Array)
            raise Base::Validation.failure("the tokenizer's answer", answer, "a text or a list of texts")
          end

          answer = Base::Validation.texts("the tokenizer's answer", answer).join(" ")
        end
        Base::Characters.split_white(Base::Validation.text("the tokenizer's answer", answer))
      end

      # @param token [String]
      # @return [Array<String>] the token itself
      def fine_grained(token)
        [Base::Validation.text("token", token)]
      end

      # @param term [String]
      # @return [Integer] 0
      def frequency(term)
        Base::Validation.text("term", term)
        0
      end

      # @param term [String]
      # @return [String] "", since no term has a tag
      def tag(term)
        Base::Validation.text("term", term)
        ""
      end

      # @param text [String]
      # @return [String] the text as the function receives it (TXT-1)
      def normalize(text)
        @normalizer.normalize(text)
      end

      private

      def cut(text)
        @function.call(text)
      rescue StandardError => e
        raise InvalidInputError, "the tokenizer failed: #{Base::Validation.foreign_error(e)}"
      end
    end
  end
end
