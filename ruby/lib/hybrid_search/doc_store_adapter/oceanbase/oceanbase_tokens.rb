# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module OceanBase
      # Tokens as words of letters and digits, as the engine's full text requires (OB-1).
      #
      # The engine's parser separates words at blanks and at some other characters, and would cut identifiers such as
      # 6-2-1. A word begins with the number of its field, so that one index serves all fields; a word is never one of
      # the engine's stop words.
      module OceanBaseTokens
        PLAIN = /\A[a-z0-9]{1,60}\z/
        # The number of UTF-8 bytes of a token that is written in hexadecimal; a longer one is replaced by its digest.
        WRITTEN_BYTES = 30
        private_constant :PLAIN, :WRITTEN_BYTES

        module_function

        # @param token [String]
        # @return [String] the token as at most 65 letters and digits; different tokens have different results
        def encoded(token)
          return "z#{token}" if PLAIN.match?(token)

          token.bytesize <= WRITTEN_BYTES ? "x#{token.unpack1("H*")}" : "y#{Digest::SHA256.hexdigest(token)}"
        end

        # @param fields [Hash{Integer=>Array<String>}] number of a field → its tokens
        # @return [String] the words of a document
        def words(fields)
          fields.flat_map { |field, tokens| tokens.map { |token| "#{field}#{encoded(token)}" } }.join(" ")
        end

        # @param fields [Hash{Integer=>Array<String>}] number of a field → its tokens
        # @return [String] the number of tokens of each field, in the order of {words}
        def lengths(fields)
          fields.map { |field, tokens| "#{field}:#{tokens.size}" }.join(" ")
        end

        # @param written [String] an output of {lengths}
        # @return [Hash{Integer=>Integer}] the numbers of tokens that were written
        def read_lengths(written)
          written.split.to_h { |pair| pair.split(":").map(&:to_i) }
        end

        # @param fields [Hash{Integer=>Array<String>}] number of a field → its tokens
        # @return [Hash{String=>String}] encoded token → the numbers of the fields that contain it
        def holding(fields)
          found = {}
          fields.each { |field, tokens| tokens.uniq.each { |token| (found[encoded(token)] ||= []) << field } }
          found.transform_values { |numbers| numbers.sort.join(",") }
        end
      end
    end
  end
end
