# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # The meaning of a name in filters (DOC-2).
      class FilterField
        include Base::ShortInspect

        # @return [String] the field of the store
        attr_reader :name
        # @return [String] "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for
        #   availability), or "existence" (nil and `exists`)
        attr_reader :kind

        # @param name [String]
        # @param kind [String]
        # @yieldparam place [String] the value's name in messages
        # @yieldparam value [Object]
        # @yieldreturn [Object] the converted value, before it is checked
        def initialize(name, kind, &value)
          @name = name
          @kind = kind
          @value = value
          freeze
        end

        # @return [Object] the converted value
        def value(place, value)
          @value.call(place, value)
        end
      end

      # The names in the filters of a store: those of its fields, without any restriction (DOC-2).
      class FilterNames
        include Base::ShortInspect

        KINDS = { "id" => "identifier", "available_int" => "availability" }.freeze

        # Return the meaning of a name.
        #
        # @param place [String] the position of the name, for messages
        # @param name [String] the name as given
        # @return [FilterField]
        # @raise [InvalidInputError] there is no such field
        def field(place, name) # rubocop:disable Lint/UnusedMethodArgument -- subclasses name the place in messages
          FilterField.new(name, KINDS.fetch(name, "value")) { |_, value| value }
        end
      end
    end
  end
end
