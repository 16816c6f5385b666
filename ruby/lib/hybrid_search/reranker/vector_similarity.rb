# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Computes the cosines of a query's vector with those of the documents (RNK-1, NUM-3); 0.0 for documents without a
    # usable vector.
    module VectorSimilarity
      module_function

      # @param result [AdapterKit::SearchResult] the documents
      # @param query_vector [Array<Float>] finite, with a finite squared norm
      # @param reader [Stores::Documents::StoredFields] collects unusable values
      # @return [Array<Float>] the cosine of each document, in the order of `result.ids`
      def similarities(result, query_vector, reader)
        dimension = query_vector.size
        name = Stores::Documents::StoredFields.vector_field(dimension)
        result.ids.map do |identifier|
          vector = reader.vector(identifier, result.fields_of(identifier), name, dimension)
          vector.nil? ? 0.0 : Base::Numeric.cosine(vector, query_vector)
        end
      end
    end
  end
end
