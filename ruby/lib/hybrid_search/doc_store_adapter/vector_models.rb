# frozen_string_literal: true

module HybridSearch
  module Storing
    # Which model made the vectors of a field (DOC-7): those of two models are not compared.
    module VectorModels
      module_function

      # @param kept [Hash{String=>String}] vector field → the name that is kept for it
      # @param field [String] a vector field
      # @param model [String] the name of the model that makes its vectors
      # @yieldparam field [String]
      # @yieldreturn [Boolean] whether there are vectors in a field
      # @return [Hash{String=>String}, nil] the names to keep from now on; nil where they stay the same
      # @raise [InvalidInputError] no vector field, no name, or another is kept and there are vectors
      def keep(kept, field, model)
        StoredDocument.vector_dimension("field", Validation.text("field", field))
        raise InvalidInputError, "model must not be empty" if Validation.text("model", model).empty?

        before = kept[field]
        return nil if before == model
        raise mismatch(field, before, model) if before && yield(field)

        { **kept, field => model }
      end

      # Refuse an embedding whose model did not make the vectors it is compared with, as far as both are known.
      #
      # @param store [DocStoreAdapter] where the vectors are
      # @param embedding [Embedding, nil] makes the vectors of questions; nothing is checked without one, or without a
      #   name or dimension
      # @return [void]
      # @raise [InvalidInputError] another name is kept, and there are vectors
      def check(store, embedding)
        field = field_of(embedding)
        return if field.nil?

        before = store.vector_models.fetch(field, embedding.model)
        return if before == embedding.model

        found = store.search(filters: { field => { "exists" => true } }, limit: 1)
        raise mismatch(field, before, embedding.model) if found.total.positive?
      end

      # Keep the name of an embedding's model, before documents with vectors of its dimension are stored.
      #
      # @param store [DocStoreAdapter] where they will be
      # @param embedding [Embedding, nil] as for {check}
      # @param documents [Array<Hash{String=>Object}>] what will be stored
      # @return [void]
      # @raise [InvalidInputError] another name is kept, and there are vectors
      def claim(store, embedding, documents)
        field = field_of(embedding)
        return if field.nil? || documents.none? { |document| document[field] }

        store.keep_vector_model(field, embedding.model)
      end

      def field_of(embedding)
        return if embedding.nil? || embedding.dimension.nil? || embedding.model.empty?

        StoredFields.vector_field(embedding.dimension)
      end
      private_class_method :field_of

      def mismatch(field, before, model)
        InvalidInputError.new(
          "the vectors of #{field} were made by the model #{Validation.describe(before)}, not by " \
          "#{Validation.describe(model)}: use that model, or fill an empty store"
        )
      end
      private_class_method :mismatch
    end
  end
end
