# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Postgres
      # The statements of a collection in PostgreSQL with its names inserted (PG-1), from `data/postgres.json`, which
      # both languages use.
      class PostgresStatements
        include Base::ShortInspect

        FILE = File.expand_path("../../../../data/postgres.json", __dir__)
        PLACE = /\{(\w+)\}/
        private_constant :FILE, :PLACE

        # @return [Hash{String=>String}] the statements with placeholders for names
        def self.all
          @all ||= JSON.parse(File.read(FILE, encoding: "UTF-8"), freeze: true)
        end

        # @param name [String]
        # @return [String] the name as a quoted identifier
        def self.quoted(name)
          "\"#{name.gsub('"', '""')}\""
        end

        # @param collection [String] the name of the schema of the collection
        # @param extension [String] the name of the schema that contains pgvector
        def initialize(collection, extension = "public")
          @names = { schema: PostgresStatements.quoted(collection), vector: PostgresStatements.quoted(extension) }
        end

        # @param name [String] the name of the statement
        # @param values [Hash{Symbol=>Integer, String, nil}] further names to insert: integers, and names that are
        #   already quoted
        # @return [String] the text of a statement
        def text(name, **values)
          # All names are replaced in one pass, since an inserted name may look like a placeholder.
          names = @names.merge(values)
          PostgresStatements.all.fetch(name).gsub(PLACE) { names.fetch(Regexp.last_match(1).to_sym).to_s }
        end
      end
    end
  end
end
