# frozen_string_literal: true

module HybridSearch
  module Base
    # Shows an object in one short line, however much it holds: its class, and what {#inspected} tells.
    module ShortInspect
      # @return [String]
      def inspect
        told = inspected.map { |name, value| "#{name}=#{Value.shown(value)}" }
        told.empty? ? "#<#{self.class}>" : "#<#{self.class} #{told.join(", ")}>"
      end

      private

      # @return [Hash{Symbol=>Object}] what is worth telling
      def inspected
        {}
      end
    end
  end
end
