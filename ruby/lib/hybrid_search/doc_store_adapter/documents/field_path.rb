# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # The path to a value of a document: a field, or a key inside an object (DOC-2).
      #
      # `metadata.a.b` is the value b in the object a of `metadata`. `tag_feas.x` is the number of the tag x, whose name
      # may contain dots. Any other name is the name of a field, even if it contains dots.
      class FieldPath
        include Base::Value

        ATTRIBUTES = "metadata."
        TAGS = "tag_feas."

        # @return [String] the whole name
        attr_reader :name
        # @return [Array<String>] the keys from the outermost object to the value
        attr_reader :steps

        # @param name [String]
        # @return [FieldPath] the path that a name stands for
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
        # @return [Object, nil] a document's value at the path, or nil if it has none
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
