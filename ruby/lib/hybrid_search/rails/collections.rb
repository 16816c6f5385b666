# frozen_string_literal: true

module HybridSearch
  module Rails
    # The open collections of this process, by name. A reloaded class finds its collection open. Collections stay usable
    # in a forked child, which creates its own connections.
    module Collections
      @open = {}
      @lock = Thread::Mutex.new
      Opened = Struct.new(:collection, :model, :definition)
      private_constant :Opened

      module_function

      # @param index [ModelIndex]
      # @return [Object] the collection of a model, opened at its first use
      # @raise [InvalidInputError] another model uses a collection of this name
      def of(index)
        name = index.name
        definition = index.definition
        index.check_key
        @lock.synchronize do
          opened = @open[name]
          check_owner(opened, index) if opened
          next opened.collection if opened && opened.definition == definition

          opened&.collection&.close
          @open[name] = Opened.new(ModelStores.open(index, definition), index.model.name, definition)
          @open[name].collection
        end
      end

      # Close all collections; the next use opens them again.
      #
      # @return [void]
      def close
        @lock.synchronize do
          @open.each_value { |opened| opened.collection.close }
          @open = {}
        end
      end

      def check_owner(opened, index)
        return if opened.model == index.model.name

        raise InvalidInputError, "#{index.model.name} and #{opened.model} both have the index " \
                                 "#{Base::Validation.describe(index.name)}: give one of them another index:"
      end
      private_class_method :check_owner
    end
  end
end
