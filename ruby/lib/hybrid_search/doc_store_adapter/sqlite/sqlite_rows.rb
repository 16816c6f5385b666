# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # The sketches of the vectors of documents with neighbouring numbers.
      class SketchBlock
        include Base::ShortInspect

        # @return [Integer] its key
        attr_reader :block
        # @return [Integer] the generation of its last change
        attr_reader :generation
        # @return [String] the ratio of each vector, 64 bits each
        attr_reader :ratios
        # @return [String] the error of each vector, 64 bits each
        attr_reader :errors
        # @return [String] the components of all vectors, one component after the other, 8 bits each
        attr_reader :steps

        def initialize(block, generation, ratios, errors, steps)
          @block = block
          @generation = generation
          @ratios = ratios
          @errors = errors
          @steps = steps
          freeze
        end
      end

      # A row of `fields` of an index file.
      class SqliteField
        include Base::ShortInspect

        # @return [Integer] its key
        attr_reader :field
        # @return [Integer] see {SqliteSchema}
        attr_reader :kind
        # @return [String] its name, in bytes
        attr_reader :name
        # @return [Integer] the number of documents that have it
        attr_reader :documents
        # @return [Integer] the total number of their tokens
        attr_reader :tokens
        # @return [Integer] the number of different tokens
        attr_reader :terms
        # @return [Integer] the number of blocks of lengths
        attr_reader :blocks

        def initialize(field, kind, name, documents, tokens, terms, blocks)
          @field = field
          @kind = kind
          @name = name
          @documents = documents
          @tokens = tokens
          @terms = terms
          @blocks = blocks
          freeze
        end

        # @return [Integer] the checksum of the row
        def checksum
          Tables::RowChecksum.of([@field, @kind, *counts], @name)
        end

        # @return [Array<Integer>] the counts that a batch changes
        def counts
          [@documents, @tokens, @terms, @blocks]
        end

        # @return [SqliteField] the row after a batch
        def changed(documents, tokens, terms, blocks)
          SqliteField.new(@field, @kind, @name, @documents + documents, @tokens + tokens, @terms + terms,
                          @blocks + blocks)
        end
      end
    end
  end
end
