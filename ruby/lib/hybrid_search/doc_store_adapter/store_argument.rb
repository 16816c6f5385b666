# frozen_string_literal: true

module HybridSearch
  module Stores
    # Where documents may be, checked where it is given (ERR-3).
    module StoreArgument
      METHODS = %w[
        insert update upsert delete get count generation health stats vector_fields keep_vector_model search rank
        fuses_scores?
      ].freeze
      ACCEPTED = "a document store, as a subclass of DocStoreAdapter is"
      private_constant :METHODS, :ACCEPTED

      module_function

      # @param name [String] what the argument is called
      # @param value [DocStoreAdapter]
      # @return [DocStoreAdapter] the store that was given
      # @raise [InvalidInputError] something without the methods of a store
      def accept(name, value)
        Base::ObjectChecks.having(name, value, METHODS, ACCEPTED)
      end
    end
  end
end
