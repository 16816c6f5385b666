# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Computes the cosines of a query's vector with those of the documents (RNK-1, NUM-3); 0.0 for documents without a
    # usable vector. Cosines that a dense leg has computed are not computed again, and neither are norms that a store
    # has.
    module FastVectorSimilarity
      module_function

      # @param result [AdapterKit::SearchResult] the documents
      # @param query_vector [Array<Float>] finite, with a finite squared norm
      # @param reader [Stores::Documents::StoredFields] collects unusable values
      # @return [Array<Float>] the cosine of each document, in the order of `result.ids`
      def similarities(result, query_vector, reader)
        query_norm = nil
        name = Stores::Documents::StoredFields.vector_field(query_vector.size)
        scores = result.dense_scores if result.dense_scores&.belongs_to?(query_vector)
        result.ids.map do |identifier|
          known = scores&.cosine(identifier)
          next known if known && !result.fields_of(identifier)[name].nil?

          dot, norm = products(result, identifier, name, query_vector, reader)
          next 0.0 if norm.nil?
          next 0.0 if norm.zero?

          query_norm ||= Base::Numeric.norm(query_vector)
          query_norm.zero? ? 0.0 : dot / (query_norm * norm)
        end
      end

      # Return the dot product of a document's vector with the query's, and its norm; nil without a usable vector.
      def products(result, identifier, name, query_vector, reader)
        fields = result.fields_of(identifier)
        value = fields[name]
        return nil if value.nil?

        prepared = result.prepared[identifier]
        if prepared && prepared.dimension == query_vector.size
          return [Base::Numeric.dot(query_vector, value), prepared.norm]
        end

        # If all components are floats and the norm is finite, the vector is usable.
        if value.is_a?(::Array) && value.size == query_vector.size && value.all?(::Float)
          dot, norm = dot_and_norm(value, query_vector)
          return [dot, norm] if norm.finite?
        end
        vector = reader.vector(identifier, fields, name, query_vector.size)
        vector && dot_and_norm(vector, query_vector)
      end
      private_class_method :products

      # Return the left-to-right dot product of two vectors, and the norm of the first one (NUM-2, NUM-3). Both are
      # computed in one pass, which takes two thirds of the time of two.
      def dot_and_norm(vector, query_vector)
        size = vector.size
        dot = square = 0.0
        index = 0
        while index < size
          component = vector[index]
          dot += component * query_vector[index]
          square += component * component
          index += 1
        end
        [dot, Math.sqrt(square)]
      end
      private_class_method :dot_and_norm
    end
  end
end
