# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # A field of a store that outlives a process, as an inverted index reads it (SQL-5, PG-5).
      class FieldRow
        include Base::Value

        # @return [Integer] its key
        attr_reader :field
        # @return [String] its name
        attr_reader :name
        # @return [Integer] how many documents have it
        attr_reader :documents
        # @return [Integer] how many tokens they have together
        attr_reader :tokens

        def initialize(field, name, documents, tokens)
          @field = field
          @name = name
          @documents = documents
          @tokens = tokens
          freeze
        end
      end
    end
  end
end
