# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Postgres
      # The statements of a collection in PostgreSQL (PG-1), as `data/postgres.json` has them for both languages, with
      # the names of the collection in them.
      class PostgresStatements
        include Base::ShortInspect

        FILE = File.expand_path("../../../../data/postgres.json", __dir__)
        PLACE = /\{(\w+)\}/
        private_constant :FILE, :PLACE

        # @return [Hash{String=>String}] the statements with the places of names open
        def self.all
          @all ||= JSON.parse(File.read(FILE, encoding: "UTF-8"), freeze: true)
        end

        # @param name [String]
        # @return [String] the name as a statement holds it
        def self.quoted(name)
          "\"#{name.gsub('"', '""')}\""
        end

        # @param collection [String] the name of the schema that holds it
        # @param extension [String] the name of the schema that pgvector is in
        def initialize(collection, extension = "public")
          @names = { schema: PostgresStatements.quoted(collection), vector: PostgresStatements.quoted(extension) }
        end

        # @param name [String] which one
        # @param values [Hash{Symbol=>Integer, String, nil}] what is put in the place of further names
        # @return [String] a statement
        def text(name, **values)
          # All names are replaced in one pass, because the replacement of one may look like another.
          names = @names.merge(values)
          PostgresStatements.all.fetch(name).gsub(PLACE) { names.fetch(Regexp.last_match(1).to_sym).to_s }
        end
      end
    end
  end
end
