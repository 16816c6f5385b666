# frozen_string_literal: true

module HybridSearch
  module Base
    # Makes results whose main part is a list enumerable over that list. A class that includes this module defines the
    # list as `items`, a private method.
    module Listing
      include Enumerable

      # @yieldparam item [Object] each item of the list
      # @return [Enumerator, Listing] the result itself, or an enumerator without a block
      def each(&block)
        return enum_for(:each) { size } unless block

        items.each(&block)
        self
      end

      # @return [Integer] the number of items
      def size
        items.size
      end

      # @return [Boolean]
      def empty?
        items.empty?
      end
    end
  end
end
