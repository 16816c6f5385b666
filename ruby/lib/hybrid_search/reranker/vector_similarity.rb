# frozen_string_literal: true

module HybridSearch
  # The cosines of a query's vector with those of the documents (RNK-1, NUM-3), 0.0 for documents without a usable
  # vector; the same bits as {Numeric.cosine} gives one by one.
  module VectorSimilarity
    module_function

    # @param result [SearchResult] the documents
    # @param query_vector [Array<Float>] finite, with a finite squared norm
    # @param reader [StoredFields] collects what is not usable
    # @return [Array<Float>] the cosine of each document, in the order of `result.ids`
    def similarities(result, query_vector, reader)
      dimension = query_vector.size
      name = StoredFields.vector_field(dimension)
      query_norm = Numeric.norm(query_vector)
      result.ids.map do |identifier|
        fields = result.fields[identifier]
        fields = {} unless fields.is_a?(::Hash)
        vector, norm = vector(identifier, fields, name, dimension, result.prepared[identifier], reader)
        next 0.0 if vector.nil? || query_norm.zero?

        norm ||= Numeric.norm(vector)
        norm.zero? ? 0.0 : Numeric.dot(vector, query_vector) / (query_norm * norm)
      end
    end

    # A document's vector and, when the store made it before, its norm.
    def vector(identifier, fields, name, dimension, prepared, reader)
      return [fields[name], prepared.norm] if prepared && prepared.dimension == dimension && fields[name]

      [reader.vector(identifier, fields, name, dimension), nil]
    end
    private_class_method :vector
  end
end
