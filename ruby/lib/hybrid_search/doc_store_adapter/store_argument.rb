# frozen_string_literal: true

module HybridSearch
  module Stores
    # Checks an argument that must be a document store (ERR-3).
    module StoreArgument
      METHODS = %w[
        insert update upsert delete get count generation health stats vector_fields keep_vector_model search rank
        fuses_scores?
      ].freeze
      ACCEPTED = "a document store, as a subclass of DocStoreAdapter is"
      private_constant :METHODS, :ACCEPTED

      module_function

      # @param name [String] the name of the argument
      # @param value [DocStoreAdapter]
      # @return [DocStoreAdapter] the given store
      # @raise [InvalidInputError] the value lacks a method of a store; the message begins with `name`
      def accept(name, value)
        Base::ObjectChecks.having(name, value, METHODS, ACCEPTED)
      end
    end
  end
end
