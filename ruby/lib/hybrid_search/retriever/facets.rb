# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # How often the values of own fields occur among all candidates (RET-9).
    module Facets
      module_function

      # @param request [RetrievalRequest] what was asked
      # @param counts [Hash{String=>Array}] field of the store → value and count, in the order of DOC-4
      # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] for each facet asked for its values and their counts,
      #   as many as the request wants; nil if none is asked for
      def facets(request, counts)
        request.facets&.transform_values do |field|
          most = counts.fetch(field, []).take(request.facet_limit)
          most.map { |value, count| { "value" => value, "count" => count } }
        end
      end
    end
  end
end
