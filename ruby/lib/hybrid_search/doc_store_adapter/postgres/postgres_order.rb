# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # What the server orders documents by, ids last (PG-5, DOC-1); all values are parameters.
      class PostgresOrder
        include Base::ShortInspect

        # @return [String] of the expression
        attr_reader :text
        # @return [Array<String>] its parameters, from the first one on
        attr_reader :values

        # @param order [Queries::SortOrder] what is wanted
        # @param statements [PostgresStatements] of the collection
        # @raise [PostgresAttributes::UnholdableError] the server cannot tell; the library itself must look at every
        #   document
        def initialize(order, statements)
          @values = []
          @text = order.criteria.map { |path, descending| part(path, descending, statements) }.join(", ")
          freeze
        end

        private

        def part(path, descending, statements)
          direction = descending ? "desc" : "asc"
          return statements.text("order_id_#{direction}") if path.name == "id"
          raise PostgresAttributes::UnholdableError unless Filters::Attributes.attribute?(path.steps[0])

          @values << PostgresAttributes.escaped(path.name)
          statements.text("order_#{direction}").gsub("$name") { "$#{@values.size}::text" }
        end
      end
    end
  end
end
