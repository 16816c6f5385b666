# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The expression by which the server sorts documents (PG-5, DOC-1); ids break ties, and all values are parameters.
      class PostgresOrder
        include Base::ShortInspect

        # @return [String] the text of the expression
        attr_reader :text
        # @return [Array<String>] its parameters, the first of which is number 1
        attr_reader :values

        # @param order [Queries::SortOrder] the requested order
        # @param statements [PostgresStatements] the statements of the collection
        # @raise [PostgresAttributes::UnholdableError] the server cannot decide; the library itself must read every
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
