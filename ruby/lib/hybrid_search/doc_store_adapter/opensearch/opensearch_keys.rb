# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module OpenSearch
      # Patterns of terms and of tokens for an index of OpenSearch (DOC-2, OS-1).
      module OpenSearchKeys
        LONGEST_TOKEN = 8_000
        BEFORE_DIGEST = "[^\0]*"
        # The characters that may have a meaning in a regular expression of Lucene: all ASCII punctuation.
        SPECIAL = /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/

        module_function

        # @param name [String] the field, which must be an attribute
        # @param parts [Array<Filters::Comparisons::TextPart>] at least one part
        # @return [String] a regular expression that matches the terms of texts with all parts, before the digest of a
        #   long text
        def value_pattern(name, parts)
          start = quoted(Filters::ValueKeys.prefix(name) + Filters::ValueKeys::KINDS.fetch("text"))
          parts.map { |part| "(#{start}#{pattern(part)})" }.join("&")
        end

        def pattern(part)
          text = quoted(part.part)
          return "#{text}.*" if part.operator == "starts_with"

          "#{BEFORE_DIGEST}#{text}#{"#{BEFORE_DIGEST}(\0.*)?" if part.operator == "contains"}"
        end
        private_class_method :pattern

        # Return a text as a regular expression of Lucene.
        def quoted(text)
          text.gsub(SPECIAL) { |one| "\\#{one}" }
        end
        private_class_method :quoted

        # @param text [String]
        # @return [String] a token as the engine can store it: a token longer than a term may be is replaced by its
        #   digest
        def token(text)
          text.bytesize <= LONGEST_TOKEN ? text : "\0#{Digest::SHA256.hexdigest(text)}"
        end
      end
    end
  end
end
