# frozen_string_literal: true

module HybridSearch
  module Convergence
    # A class or a function that overlaps a block (CNV-6).
    class Definition
      include Base::Value

      FIELDS = %w[qualified_name kind start_line end_line].freeze
      CLASS = "class"
      FUNCTION = "function"

      # @return [String] the name after the names of its enclosing definitions: `Class.method`
      attr_reader :qualified_name
      # @return [String] "class" or "function"
      attr_reader :kind
      # @return [Integer] its first line, from 0
      attr_reader :start_line
      # @return [Integer] its last line
      attr_reader :end_line

      # @param name [String] the name of the value in messages
      # @param value [Object]
      # @return [Definition] a definition from plain data
      # @raise [InvalidInputError] the data is not a definition
      def self.of(name, value)
        given = Base::Validation.mapping(name, value)
        Base::Validation.known("field of #{name}", given.keys, FIELDS)
        new(qualified_name: Base::Validation.text("#{name}.qualified_name", given["qualified_name"]),
            kind: Base::Validation.choice("#{name}.kind", given["kind"], [CLASS, FUNCTION]),
            start_line: Base::Validation.integer("#{name}.start_line", given["start_line"], 0),
            end_line: Base::Validation.integer("#{name}.end_line", given["end_line"], 0))
      end

      def initialize(qualified_name:, kind:, start_line:, end_line:)
        @qualified_name = qualified_name
        @kind = kind
        @start_line = start_line
        @end_line = end_line
        freeze
      end
    end

    # A block of source code, checked (CNV-6).
    class Block
      include Base::Value

      FIELDS = %w[file_path start_line end_line definitions].freeze

      # @return [String, nil] its file, relative to the repository
      attr_reader :file_path
      # @return [Integer, nil] its first line, from 0
      attr_reader :start_line
      # @return [Integer, nil] its last line
      attr_reader :end_line
      # @return [Array<Definition>] the definitions that overlap it
      attr_reader :definitions

      class << self
        # @param name [String] the name of the value in messages
        # @param value [Object]
        # @return [Block] a block from plain data
        # @raise [InvalidInputError] the data is not a block
        def of(name, value)
          given = Base::Validation.mapping(name, value)
          Base::Validation.known("field of #{name}", given.keys, FIELDS)
          definitions = given["definitions"].nil? ? [] : given["definitions"]
          unless definitions.is_a?(::Array)
            raise Base::Validation.failure("#{name}.definitions", definitions, "a list of objects")
          end

          path = given["file_path"]
          new(file_path: path && !(path = Base::Validation.text("#{name}.file_path", path)).empty? ? path : nil,
              start_line: line("#{name}.start_line", given["start_line"]),
              end_line: line("#{name}.end_line", given["end_line"]),
              definitions: definitions.each_with_index.map do |each, place|
                Definition.of("#{name}.definitions[#{place}]", each)
              end)
        end

        private

        def line(name, value)
          value.nil? ? nil : Base::Validation.integer(name, value, 0)
        end
      end

      def initialize(file_path: nil, start_line: nil, end_line: nil, definitions: [])
        @file_path = file_path
        @start_line = start_line
        @end_line = end_line
        @definitions = definitions.dup.freeze
        freeze
      end

      # @return [Hash{String=>Object}] the block as plain data, without the members that are not set
      def to_h
        super.reject { |_, value| value.nil? || value == [] }
      end
    end
  end
end
