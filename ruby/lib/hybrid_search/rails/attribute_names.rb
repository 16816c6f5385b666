# frozen_string_literal: true

module HybridSearch
  module Rails
    # The names that `where`, `order` and `facets` of a model accept: its id, its tenant and its `metadata`; dots lead
    # into objects. Values are cast as ActiveRecord casts them.
    class AttributeNames
      include Base::ShortInspect

      OF_CHUNKS = %w[headings page].freeze
      NUMBERS = %i[integer big_integer float decimal].freeze
      NUMBER = /\A\s*[-+]?(?:\d|\.\d)/
      private_constant :OF_CHUNKS, :NUMBERS, :NUMBER

      # @return [Class]
      attr_reader :model

      # @param model [Class]
      # @param options [ModelOptions]
      def initialize(model, options)
        @model = model
        @tenant = options.tenant
        @metadata = options.metadata
        @of_chunks = options.chunk.is_a?(::Hash) ? OF_CHUNKS : []
      end

      # @return [Array<String>] the names
      def all
        [*@metadata, *@of_chunks, "id", *@tenant].uniq
      end

      # @param place [String] the place of the name, for messages
      # @param name [String, Symbol]
      # @return [String] its name in the index
      # @raise [InvalidInputError] the name does not exist
      def field(place, name)
        text = name.to_s
        first = text.split(".", 2).first.to_s
        return "metadata.#{text}" if [*@metadata, *@of_chunks].include?(first)
        return "doc_id" if text == "id" || text == model.primary_key
        return "kb_id" if text == @tenant

        Habits.check("name in #{place}", [text], all, {}, "; metadata: of hybrid_search declares them")
      end

      # @param place [String] the name of the value in messages
      # @param name [String]
      # @param value [Object] one value: not a list, not a range
      # @return [Object] the value in its stored form
      # @raise [InvalidInputError] the value is a text that is not a value of the attribute's type
      def cast(place, name, value)
        value = value.id if value.respond_to?(:to_key) && value.respond_to?(:id)
        type = type_of(name)
        return stored(name, value) if type.nil? || value.nil?

        names = model.defined_enums[name]&.keys
        cast = names.nil? && unreadable?(type, value) ? nil : cast_by(type, value)
        if cast.nil? && !(value.is_a?(::String) && value.strip.empty?)
          raise Base::Validation.failure(place, value,
                                         names ? "one of #{names.join(", ")}" : "a value of the type #{type.type}")
        end

        stored(name, cast)
      end

      # @param name [String]
      # @return [Boolean] whether the index contains the unchanged column of this name
      def column?(name)
        return true if [model.primary_key, @tenant].include?(name)
        unless @metadata.include?(name) && model.columns_hash.key?(name) && !model.method_defined?(:search_data)
          return false
        end

        model.define_attribute_methods
        model.instance_method(name).owner.is_a?(::ActiveRecord::AttributeMethods::GeneratedAttributeMethods)
      end

      private

      def type_of(name)
        model.type_for_attribute(name) if model.attribute_types.key?(name)
      end

      # Return the cast value, or nil for a value that an enum does not have, for which Rails 6.1 raises an error.
      def cast_by(type, value)
        type.cast(value)
      rescue ::ArgumentError
        nil
      end

      def unreadable?(type, value)
        value.is_a?(::String) && NUMBERS.include?(type.type) && !value.match?(NUMBER) && !value.strip.empty?
      end

      # Return a value in its stored form: ids and tenants are texts.
      def stored(name, value)
        [model.primary_key, "id", @tenant].include?(name) && !value.nil? ? value.to_s : value
      end
    end
  end
end
