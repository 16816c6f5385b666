# frozen_string_literal: true

module HybridSearch
  module Base
    # Shows an object in one short line, however large it is: its class, and the values of {#inspected}.
    module ShortInspect
      # @return [String]
      def inspect
        told = inspected.map { |name, value| "#{name}=#{Value.shown(value)}" }
        told.empty? ? "#<#{self.class}>" : "#<#{self.class} #{told.join(", ")}>"
      end

      private

      # @return [Hash{Symbol=>Object}] the values to show
      def inspected
        {}
      end
    end
  end
end
