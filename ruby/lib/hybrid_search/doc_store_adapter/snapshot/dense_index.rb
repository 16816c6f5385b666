# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The vectors of one field for all documents that have it, and their cosines with other vectors (DOC-3, NUM-3);
      # immutable.
      class DenseIndex
        include Base::ShortInspect

        # @param vectors [Hash{String=>Array<Float>}] id → the vector of a document
        def initialize(vectors)
          @vectors = vectors
          @norms = vectors.transform_values { |vector| Base::Numeric.norm(vector) }
        end

        # @param vector [Array<Float>]
        # @param identifiers [Array<String>]
        # @return [Array<Array(String, Float)>] the cosines of the vector with those of documents as (id, cosine);
        #   documents without one are omitted
        def cosines(vector, identifiers)
          norm = Base::Numeric.norm(vector)
          having = identifiers.select { |identifier| @vectors.key?(identifier) }
          having.map do |identifier|
            [identifier, Base::Numeric.cosine_of(vector, norm, @vectors[identifier], @norms[identifier])]
          end
        end
      end
    end
  end
end
