# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # Where in a document a field's value is (DOC-2): a field, or a place in one of the objects it holds.
      #
      # `metadata.a.b` is the value b in the object a of `metadata`, and `tag_feas.x` the number of the tag x, be there
      # dots in its name or not. Any other name is a field's own, dots and all.
      class FieldPath
        include Base::Value

        ATTRIBUTES = "metadata."
        TAGS = "tag_feas."

        # @return [String] the whole name
        attr_reader :name
        # @return [Array<String>] the key of each object on the way
        attr_reader :steps

        # @param name [String]
        # @return [FieldPath] the path that a name means
        def self.of(name)
          return new(name, name.split(".", -1)) if name.start_with?(ATTRIBUTES)
          return new(name, ["tag_feas", name.delete_prefix(TAGS)]) if name.start_with?(TAGS)

          new(name, [name])
        end

        def initialize(name, steps)
          @name = name
          @steps = steps.freeze
          freeze
        end

        # @param fields [Hash{String=>Object}]
        # @return [Object, nil] what a document has there
        def value(fields)
          value = fields
          @steps.each do |step|
            return nil unless value.is_a?(::Hash)

            value = value[step]
          end
          value
        end
      end
    end
  end
end
