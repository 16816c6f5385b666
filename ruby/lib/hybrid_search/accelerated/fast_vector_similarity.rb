# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The cosines of a query's vector with those of the documents (RNK-1, NUM-3), 0.0 for documents without a usable
    # vector. Cosines that a dense leg has computed are not computed again, nor are norms that a store has.
    module FastVectorSimilarity
      module_function

      # @param result [AdapterKit::SearchResult] the documents
      # @param query_vector [Array<Float>] finite, with a finite squared norm
      # @param reader [Stores::Documents::StoredFields] collects what is not usable
      # @return [Array<Float>] the cosine of each document, in the order of `result.ids`
      def similarities(result, query_vector, reader)
        query_norm = nil
        name = Stores::Documents::StoredFields.vector_field(query_vector.size)
        scores = result.dense_scores if result.dense_scores&.belongs_to?(query_vector)
        result.ids.map do |identifier|
          known = scores&.cosine(identifier)
          next known if known && !result.fields_of(identifier)[name].nil?

          vector, norm = vector(result, identifier, name, query_vector.size, reader)
          next 0.0 if vector.nil?

          query_norm ||= Base::Numeric.norm(query_vector)
          Base::Numeric.cosine_of(query_vector, query_norm, vector, norm)
        end
      end

      # A document's vector and its norm; nil without a usable one.
      def vector(result, identifier, name, dimension, reader)
        fields = result.fields_of(identifier)
        value = fields[name]
        return nil if value.nil?

        prepared = result.prepared[identifier]
        return [value, prepared.norm] if prepared && prepared.dimension == dimension

        # Where all are floats and the norm is finite, the vector is usable.
        if value.is_a?(::Array) && value.size == dimension && value.all?(::Float)
          norm = Base::Numeric.norm(value)
          return [value, norm] if norm.finite?
        end
        vector = reader.vector(identifier, fields, name, dimension)
        vector && [vector, Base::Numeric.norm(vector)]
      end
      private_class_method :vector
    end
  end
end
