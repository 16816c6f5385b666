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

      # Refuse a model that did not make the vectors of a field, where a store keeps the name of the one that did.
      #
      # @param store [DocStoreAdapter] where the vectors are
      # @param field [String] their field
      # @param model [String] the name of a model; an empty one is not checked
      # @return [void]
      # @raise [InvalidInputError] another name is kept, and there are vectors
      def check(store, field, model)
        before = model.empty? ? nil : store.vector_models[field]
        return if before.nil? || before == model

        found = store.search(filters: { field => { "exists" => true } }, limit: 1)
        raise mismatch(field, before, model) if found.total.positive?
      end

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
