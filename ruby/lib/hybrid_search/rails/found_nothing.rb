# frozen_string_literal: true

module HybridSearch
  module Rails
    # The result of an empty search: an empty question, or a relation that selects no record.
    class FoundNothing
      include Base::ShortInspect

      # @param request [ModelSearch]
      def initialize(request)
        @request = request
      end

      # @return [Array<Hit>]
      def hits
        []
      end

      # @return [Integer]
      def total
        0
      end

      # @return [Boolean]
      def total_is_lower_bound
        false
      end

      # @return [Array<String>]
      def warnings
        []
      end

      # @return [Hash{String=>Array<Hash>}, nil]
      def facets
        @request.facets.empty? ? nil : @request.facets.to_h { |name| [name, []] }
      end

      # @return [nil]
      def explain
        nil
      end
    end
  end
end
