# frozen_string_literal: true

module HybridSearch
  module Client
    # Extracts a service's own error message from its response.
    module ServiceWords
      LARGEST = 65_536

      module_function

      # @param body [String] the body of the response
      # @param secrets [Array<String>] keys that were sent to the service
      # @return [String, nil] the message in the usual JSON forms, unless it contains parts of a secret
      def find(body, secrets)
        text = (body.byteslice(0, LARGEST) || "").force_encoding(Encoding::UTF_8)
        said = (Base::StrictJson.parse_object(text) if text.valid_encoding?) || {}
        error = said["error"]
        inner = error.is_a?(::Hash) ? error["message"] : error
        words = [inner, said["message"], said["detail"]].find { |item| item.is_a?(::String) && !item.empty? }
        words.nil? || show?(words, secrets) ? nil : Base::Validation.describe(words)
      end

      # @param text [String]
      # @param secrets [Array<String>]
      # @return [Boolean] whether a text contains parts of a secret
      def show?(text, secrets)
        secrets.any? { |secret| ApiKey.in?(secret, text) }
      end
    end
  end
end
