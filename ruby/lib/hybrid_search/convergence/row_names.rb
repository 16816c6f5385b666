# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Converts row numbers to ids, for code that ranks by id: texts of equal width, which sort as the numbers do
    # (ORD-1).
    module RowNames
      WIDTH = 12
      private_constant :WIDTH

      module_function

      # @param row [Integer]
      # @return [String] its id
      def id_of(row)
        row.to_s.rjust(WIDTH, "0")
      end

      # @param identifier [String]
      # @return [Integer] the row of an id
      def row_of(identifier)
        Integer(identifier, 10)
      end
    end
  end
end
