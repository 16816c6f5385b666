# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module Postgres
      # Keys for ids and tokens, short enough for an index of PostgreSQL (PG-1).
      module PostgresKeys
        LONGEST = 1000
        # A byte with which no UTF-8 text begins.
        LONG = "\xFF".b.freeze

        module_function

        # @param text [String]
        # @return [String] the key of a text
        def key(text)
          key_of(text.b)
        end

        # @param written [String]
        # @return [String] the key of a text in UTF-8: the text itself, or the digest of a long one
        def key_of(written)
          written.bytesize <= LONGEST ? written : LONG + Digest::SHA256.digest(written)
        end
      end
    end
  end
end
