# frozen_string_literal: true

module HybridSearch
  module Rails
    # The models that declare `hybrid_search`, by name: a class is another object after code was reloaded.
    module Models
      @names = []
      @lock = Thread::Mutex.new

      module_function

      # @param model [Class]
      # @return [void]
      def add(model)
        @lock.synchronize { @names |= [model.name] } unless model.name.nil?
      end

      # @return [Array<Class>] the models, by name; those whose class no longer exists are not listed
      def all
        @names.sort.filter_map(&:safe_constantize).select { |model| model.respond_to?(:hybrid_index) }
      end

      # @param name [String] the name of a model
      # @return [Class]
      # @raise [InvalidInputError] the model does not exist, or does not declare `hybrid_search`
      def find(name)
        model = name.safe_constantize
        return model if model.respond_to?(:hybrid_index)

        Base::Validation.known("model", [name], all.map(&:name))
        raise InvalidInputError, "#{name} does not declare hybrid_search"
      end
    end
  end
end
