# frozen_string_literal: true

module HybridSearch
  module Base
    # What results have in common whose main part is a list: they are enumerable over it. A class that includes this
    # tells the list as `items`, a private method.
    module Listing
      include Enumerable

      # @yieldparam item [Object] each of the list
      # @return [Enumerator, Listing] the result itself, or an enumerator without a block
      def each(&block)
        return enum_for(:each) { size } unless block

        items.each(&block)
        self
      end

      # @return [Integer] how many there are
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
