# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Tables
      # The statements of a collection in a database with its names inserted, from a table that both languages use
      # (PG-1, OB-1).
      class SqlStatements
        include Base::ShortInspect

        FOLDER = File.expand_path("../../../../data", __dir__)
        PLACE = /\{(\w+)\}/
        private_constant :FOLDER, :PLACE

        # @param engine [String] the name of a table in `data/`, such as "postgres"
        # @return [Hash{String=>String}] its statements with placeholders for names
        def self.all(engine)
          @all ||= {}
          @all[engine] ||= JSON.parse(File.read("#{FOLDER}/#{engine}.json", encoding: "UTF-8"), freeze: true)
        end

        # @param engine [String] the name of a table in `data/`
        # @param names [Hash{Symbol=>String}] the names to insert, already quoted
        def initialize(engine, names)
          @engine = engine
          @names = names
        end

        # @param name [String] the name of the statement
        # @param values [Hash{Symbol=>Integer, String, nil}] further texts to insert: integers, and names and values
        #   that are already quoted
        # @return [String] the text of a statement
        def text(name, **values)
          # All names are replaced in one pass, since an inserted name may look like a placeholder.
          names = @names.merge(values)
          SqlStatements.all(@engine).fetch(name).gsub(PLACE) { names.fetch(Regexp.last_match(1).to_sym).to_s }
        end
      end
    end
  end
end
