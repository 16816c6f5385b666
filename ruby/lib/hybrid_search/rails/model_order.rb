# frozen_string_literal: true

module HybridSearch
  module Rails
    # Converts the `order` of a model to the order of an index: `:published_at`, `{ published_at: :desc }`,
    # `"published_at desc"`, `"-published_at"`, or a list of these.
    module ModelOrder
      DIRECTIONS = %w[asc desc].freeze
      private_constant :DIRECTIONS

      module_function

      # @param names [AttributeNames]
      # @param order [Symbol, String, Hash, Array, nil]
      # @return [Array<Array(String, String)>, nil] names and directions; nil: by rank
      # @raise [InvalidInputError] a name is unknown, or the order has another form
      def order_by(names, order)
        return if order.nil?

        pairs = if order.is_a?(::Array)
                  order.flat_map { |each| pairs(each) }
                else
                  pairs(order)
                end
        pairs.map { |name, direction| [names.field("order", name), direction] }
      end

      def pairs(order)
        case order
        when ::Hash then order.map { |name, direction| [name.to_s, direction("order.#{name}", direction)] }
        when ::Symbol then [[order.to_s, "asc"]]
        when ::String then [of_text(order)]
        else raise Base::Validation.failure("order", order, "a name, or an object of names and directions")
        end
      end
      private_class_method :pairs

      def of_text(text)
        name, direction, more = text.split
        raise Base::Validation.failure("order", text, "a name, or a name and asc or desc") if name.nil? || more

        return [name.delete_prefix("-"), "desc"] if name.start_with?("-") && direction.nil?

        [name, direction.nil? ? "asc" : direction("order", direction)]
      end
      private_class_method :of_text

      def direction(place, direction)
        is_name = direction.is_a?(::Symbol) || direction.is_a?(::String)
        Base::Validation.choice(place, is_name ? direction.to_s.downcase : direction,
                                DIRECTIONS)
      end
      private_class_method :direction
    end
  end
end
