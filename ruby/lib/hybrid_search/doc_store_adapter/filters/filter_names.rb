# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # What a name in filters means (DOC-2).
      class FilterField
        include Base::ShortInspect

        # @return [String] the field of the store
        attr_reader :name
        # @return [String] "value", "identifier" (texts alone), "availability" (1 or 0), "flag" (true or false, for
        #   availability), or "existence" (nil and `exists`)
        attr_reader :kind

        # @param name [String]
        # @param kind [String]
        # @yieldparam place [String] what a value is called in messages
        # @yieldparam value [Object]
        # @yieldreturn [Object] the value made plain, before it is checked
        def initialize(name, kind, &value)
          @name = name
          @kind = kind
          @value = value
          freeze
        end

        # @return [Object] a value made plain
        def value(place, value)
          @value.call(place, value)
        end
      end

      # The names that filters of a store have: those of its fields, whatever they are.
      class FilterNames
        include Base::ShortInspect

        KINDS = { "id" => "identifier", "available_int" => "availability" }.freeze

        # @param place [String] where the name stands, for messages
        # @param name [String] as given
        # @return [FilterField] what it means
        # @raise [InvalidInputError] there is no such field
        def field(place, name) # rubocop:disable Lint/UnusedMethodArgument -- other names tell where they stand
          FilterField.new(name, KINDS.fetch(name, "value")) { |_, value| value }
        end
      end
    end
  end
end
