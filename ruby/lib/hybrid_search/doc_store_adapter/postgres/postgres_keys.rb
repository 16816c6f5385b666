# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module Postgres
      # Keys of ids and tokens, which PostgreSQL can have in an index however long those are (PG-1).
      module PostgresKeys
        LONGEST = 1000
        # No UTF-8 begins with it.
        LONG = "\xFF".b.freeze

        module_function

        # @param text [String]
        # @return [String] the key of a text
        def key(text)
          key_of(text.b)
        end

        # @param written [String]
        # @return [String] the key of a text in UTF-8
        def key_of(written)
          written.bytesize <= LONGEST ? written : LONG + Digest::SHA256.digest(written)
        end
      end
    end
  end
end
