# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # A field of a persistent store in the form that an inverted index reads (SQL-5, PG-5).
      class FieldRow
        include Base::Value

        # @return [Integer] its key
        attr_reader :field
        # @return [String] its name
        attr_reader :name
        # @return [Integer] the number of documents that have it
        attr_reader :documents
        # @return [Integer] the total number of their tokens
        attr_reader :tokens
        # @return [Integer, nil] the number of documents that have a token there; nil if the tables do not count them
        attr_reader :filled

        def initialize(field, name, documents, tokens, filled = nil)
          @field = field
          @name = name
          @documents = documents
          @tokens = tokens
          @filled = filled
          freeze
        end
      end
    end
  end
end
