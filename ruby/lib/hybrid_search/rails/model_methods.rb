# frozen_string_literal: true

module HybridSearch
  module Rails
    # The methods of a model that declares `hybrid_search`, and of its relations.
    #
    # `search` is an alias of `hybrid`, unless the model has a method of that name.
    module ModelMethods
      # @param model [Class]
      # @return [void]
      def self.extended(model)
        return if model.respond_to?(:search)

        model.singleton_class.alias_method(:search, :hybrid)
      end

      # Search the records of the model, or of the relation on which it is called.
      #
      #   Article.hybrid(params[:q], where: { status: %w[live] }, page: params[:page], per: 20, includes: :author)
      #   Article.published.hybrid("shed")
      #
      # @param question [String, nil] any text; a blank one finds nothing, unless there is a `vector` or `match_all`
      # @param options [Hash] see {ModelSearch}
      # @return [Results] results that are searched when a part of them is needed
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def hybrid(question = nil, **options)
        relation = all
        Narrowing.check(relation)
        request = ModelSearch.new(hybrid_index, question, options)
        request.page
        Tenant.of_search(hybrid_index, request.options[:tenant], relation) unless Narrowing.none?(relation)
        Results.new(hybrid_index, relation, request)
      end

      # Rebuild the index of the model without downtime; for a relation, write its records into the index.
      #
      # @param options [Hash] the options of {ModelIndex#reindex}
      # @return [Object] the status of the collection; for a relation, the number of records
      def reindex(**options)
        return hybrid_index.reindex(**options) if all.to_sql == default_scoped.to_sql

        Base::Validation.known("option of reindex of a relation", options.keys, [])
        all.except(:order, :select).pluck(arel_table[primary_key]).tap { |ids| hybrid_index.sync(ids) }.size
      end

      private

      def method_missing(name, ...)
        Habits::MODEL.key?(name.to_s) ? Habits.no_method(self.name, name, Habits::MODEL) : super
      end

      def respond_to_missing?(name, include_private = false)
        !Habits::MODEL.key?(name.to_s) && super
      end
    end
  end
end
