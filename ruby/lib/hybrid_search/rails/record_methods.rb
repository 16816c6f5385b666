# frozen_string_literal: true

module HybridSearch
  module Rails
    # The methods of a record of a model that declares `hybrid_search`.
    module RecordMethods
      # Find the records that are most similar to this one, without it; with a tenant, only records of the same tenant.
      #
      # @param options [Hash] see {ModelSearch}
      # @return [Results]
      def similar(**options)
        index = self.class.hybrid_index
        tenant = index.options.tenant
        options = { tenant: public_send(tenant), **options } if tenant
        Results.new(index, self.class.default_scoped, ModelSearch.new(index, nil, options), self)
      end

      # Write the stored state of this record into the index now.
      #
      # @return [void]
      def reindex
        self.class.hybrid_index.sync([id])
        nil
      end

      private

      def method_missing(name, ...)
        Habits::RECORD.key?(name.to_s) ? Habits.no_method(self.class.name, name, Habits::RECORD) : super
      end

      def respond_to_missing?(name, include_private = false)
        !Habits::RECORD.key?(name.to_s) && super
      end
    end
  end
end
