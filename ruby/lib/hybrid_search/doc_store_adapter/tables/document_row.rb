# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # A document without the components of its vectors.
      class DocumentRow
        include Base::ShortInspect

        # @return [Integer] its number
        attr_reader :number
        # @return [String] its id
        attr_reader :identifier
        # @return [Hash{String=>Object}] its fields except vectors
        attr_reader :fields
        # @return [Array<String>] the names of its vector fields
        attr_reader :vector_fields

        def initialize(number, identifier, fields, vector_fields)
          @number = number
          @identifier = identifier
          @fields = fields
          @vector_fields = vector_fields
          freeze
        end
      end
    end
  end
end
