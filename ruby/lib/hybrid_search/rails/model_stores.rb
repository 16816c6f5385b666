# frozen_string_literal: true

module HybridSearch
  module Rails
    # Opens the collection of a model in the store that the settings name.
    module ModelStores
      module_function

      # @param index [ModelIndex]
      # @param definition [String] a digest of the way in which records are made
      # @return [Generations, SingleCollection]
      # @raise [InvalidInputError, ConfigurationError] a setting is not acceptable
      def open(index, definition)
        settings = Rails.configuration
        name = name_of(index)
        options = { find: find(index), **settings.index_options, **embeddings(index, settings) }
        case settings.store
        when "memory" then generations.memory(definition:, **options)
        when "file" then generations.files(::File.join(settings.path, name), definition:, store: settings.options,
                                                                             **options)
        when "postgres"
          generations.postgres(pool(settings), collection: name, definition:, store: settings.options, **options)
        else opensearch(settings, name, options.except(:former_embeddings))
        end
      end

      # @param index [ModelIndex]
      # @return [String] the name of the collection in the store
      def name_of(index)
        "#{Rails.configuration.prefix}#{index.name}"
      end

      # Return a function from ids to the current records. It finds the model by name, as reloaded code has another
      # class.
      def find(index)
        name = index.model.name
        name.nil? ? index.method(:found) : ->(ids) { Models.find(name).hybrid_index.found(ids) }
      end
      private_class_method :find

      def embeddings(index, settings)
        chosen = index.options.embedding == :default ? settings.embedding : index.options.embedding
        former = settings.former_embeddings.each_with_index.map do |setting, place|
          Embedders.build(setting, "former_embeddings[#{place}]")
        end
        { embedding: Embedders.build(chosen), former_embeddings: former.compact }
      end
      private_class_method :embeddings

      def generations
        require "hybrid_search/generations"
        Generations
      end
      private_class_method :generations

      # Return the application's own connections, unless the settings have an address.
      def pool(settings)
        settings.url || LivePool.new(settings.connection_class.constantize)
      end
      private_class_method :pool

      def opensearch(settings, name, options)
        raise InvalidInputError, "the store opensearch needs the setting url" if settings.url.nil?

        SingleCollection.new(**options) { OpenSearchDocStore.new(settings.url, name, **settings.options) }
      end
      private_class_method :opensearch
    end
  end
end
