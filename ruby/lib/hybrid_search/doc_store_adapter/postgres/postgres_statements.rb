# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The statements of a collection in PostgreSQL with its names inserted (PG-1), from `data/postgres.json`, which
      # both languages use.
      class PostgresStatements < Tables::SqlStatements
        # @param name [String]
        # @return [String] the name as a quoted identifier
        def self.quoted(name)
          "\"#{name.gsub('"', '""')}\""
        end

        # @param collection [String] the name of the schema of the collection
        # @param extension [String] the name of the schema that contains pgvector
        def initialize(collection, extension = "public")
          super("postgres", { schema: PostgresStatements.quoted(collection),
                              vector: PostgresStatements.quoted(extension) })
        end
      end
    end
  end
end
