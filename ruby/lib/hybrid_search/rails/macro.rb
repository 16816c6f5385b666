# frozen_string_literal: true

module HybridSearch
  module Rails
    # Gives every ActiveRecord class the macro `hybrid_search`.
    module Macro
      # Declare that records of this model are found by {ModelMethods#hybrid}.
      #
      #   class Article < ApplicationRecord
      #     hybrid_search content: :body, title: :title, metadata: %i[status lang published_at], callbacks: :async
      #   end
      #
      # @param options [Hash] see {ModelOptions}
      # @return [void]
      # @raise [InvalidInputError] an option is unknown or not acceptable; or the class, or one of its superclasses, has
      #   declared it already
      def hybrid_search(**options)
        if respond_to?(:hybrid_index)
          raise InvalidInputError, "#{name} declares hybrid_search twice: #{hybrid_index.model.name} has declared it"
        end

        index = ModelIndex.new(self, ModelOptions.new(options))
        singleton_class.define_method(:hybrid_index) { index }
        extend ModelMethods
        include RecordMethods
        after_commit { ChangeQueue.changed(self) }
        Models.add(self)
      end
    end
  end
end
