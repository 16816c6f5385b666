# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Counts the values of fields over all results (RET-9).
    module Facets
      module_function

      # @param request [RetrievalRequest] the request
      # @param documents [Array<Hash{String=>Object}>] the fields of each document to count
      # @return [Hash{String=>Array<Array(Object, Integer)>}] the values and their counts for each field of the facets
      def counts(request, documents)
        (request.facets || {}).values.uniq.to_h do |field|
          path = Stores::Documents::FieldPath.of(field)
          [field, Stores::Queries::Aggregations.count(documents.map { |fields| path.value(fields) })]
        end
      end

      # @param request [RetrievalRequest] the request
      # @param found [Hash{String=>Array}] field of the store → value and count, in the order of DOC-4
      # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] the values and counts of each requested facet, up to
      #   the requested number; nil without facets
      def facets(request, found)
        request.facets&.transform_values do |field|
          most = found.fetch(field, []).take(request.facet_limit)
          most.map { |value, count| { "value" => value, "count" => count } }
        end
      end
    end
  end
end
