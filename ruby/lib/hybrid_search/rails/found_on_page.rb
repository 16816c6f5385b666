# frozen_string_literal: true

module HybridSearch
  module Rails
    # One page of the index, for models whose records have one passage each.
    class FoundOnPage
      include Base::ShortInspect

      # @param ask [#call] maps options to a page of the index
      # @param request [ModelSearch]
      # @param options [Hash{Symbol=>Object}] the options of {Index#search}
      # @param _narrowing [Narrowing]
      def initialize(ask, request, options, _narrowing)
        @page = ask.call({ **options, limit: request.per, page: request.page })
        @request = request
      end

      # @return [Array<Hit>]
      def hits
        @page.hits
      end

      # @return [Integer] the number of hits on all pages
      def total
        @page.total
      end

      # @return [Boolean]
      def total_is_lower_bound
        @page.total_is_lower_bound
      end

      # @return [Array<String>]
      def warnings
        @page.warnings
      end

      # @return [Hash{String=>Array<Hash>}, nil]
      def facets
        @page.facets && @request.facets.zip(@page.facets.values).to_h
      end

      # @return [Hash, nil]
      def explain
        @page.explain
      end
    end
  end
end
