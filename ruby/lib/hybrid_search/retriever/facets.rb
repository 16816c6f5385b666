# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # How often the values of own fields occur among all that is found (RET-9).
    module Facets
      module_function

      # @param request [RetrievalRequest] what was asked
      # @param documents [Array<Hash{String=>Object}>] the fields of each document that counts
      # @return [Hash{String=>Array<Array(Object, Integer)>}] for each field of the facets its values and their counts
      def counts(request, documents)
        (request.facets || {}).values.uniq.to_h do |field|
          path = Stores::Documents::FieldPath.of(field)
          [field, Stores::Queries::Aggregations.count(documents.map { |fields| path.value(fields) })]
        end
      end

      # @param request [RetrievalRequest] what was asked
      # @param found [Hash{String=>Array}] field of the store → value and count, in the order of DOC-4
      # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] for each facet asked for its values and their counts,
      #   as many as the request wants; nil if none is asked for
      def facets(request, found)
        request.facets&.transform_values do |field|
          most = found.fetch(field, []).take(request.facet_limit)
          most.map { |value, count| { "value" => value, "count" => count } }
        end
      end
    end
  end
end
