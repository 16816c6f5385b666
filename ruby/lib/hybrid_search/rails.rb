# frozen_string_literal: true

require "hybrid_search"
require "active_support"
require "active_support/lazy_load_hooks"

module HybridSearch
  # The integration with Rails 6.1 or later: `hybrid_search` in a model, results as records, callbacks, jobs,
  # reindexing.
  #
  # Loaded by `require "hybrid_search/rails"` alone, in a Gemfile `gem "hybrid_search", require: "hybrid_search/rails"`.
  # The files of the integration load on first use.
  module Rails
    autoload :AttributeNames, "hybrid_search/rails/attribute_names"
    autoload :CallbackMode, "hybrid_search/rails/callback_mode"
    autoload :ChangeQueue, "hybrid_search/rails/change_queue"
    autoload :Collections, "hybrid_search/rails/collections"
    autoload :Conditions, "hybrid_search/rails/conditions"
    autoload :Configuration, "hybrid_search/rails/configuration"
    autoload :ControllerRuntime, "hybrid_search/rails/controller_runtime"
    autoload :ModelDefinition, "hybrid_search/rails/model_definition"
    autoload :Embedders, "hybrid_search/rails/embedders"
    autoload :Found, "hybrid_search/rails/found"
    autoload :FoundInWalk, "hybrid_search/rails/found_in_walk"
    autoload :FoundOnPage, "hybrid_search/rails/found_on_page"
    autoload :FoundNothing, "hybrid_search/rails/found_nothing"
    autoload :Habits, "hybrid_search/rails/habits"
    autoload :Highlights, "hybrid_search/rails/highlights"
    autoload :LivePool, "hybrid_search/rails/live_pool"
    autoload :LogSubscriber, "hybrid_search/rails/log_subscriber"
    autoload :Macro, "hybrid_search/rails/macro"
    autoload :Maintenance, "hybrid_search/rails/maintenance"
    autoload :ModelIndex, "hybrid_search/rails/model_index"
    autoload :ModelMethods, "hybrid_search/rails/model_methods"
    autoload :ModelOptions, "hybrid_search/rails/model_options"
    autoload :Models, "hybrid_search/rails/models"
    autoload :Narrowing, "hybrid_search/rails/narrowing"
    autoload :ModelOrder, "hybrid_search/rails/model_order"
    autoload :Pagination, "hybrid_search/rails/pagination"
    autoload :PostgresSchemas, "hybrid_search/rails/postgres_schemas"
    autoload :RecordBatches, "hybrid_search/rails/record_batches"
    autoload :RecordMaker, "hybrid_search/rails/record_maker"
    autoload :RecordMethods, "hybrid_search/rails/record_methods"
    autoload :Results, "hybrid_search/rails/results"
    autoload :Runtime, "hybrid_search/rails/runtime"
    autoload :SearchPage, "hybrid_search/rails/search_page"
    autoload :ModelSearch, "hybrid_search/rails/model_search"
    autoload :SingleCollection, "hybrid_search/rails/single_collection"
    autoload :CallableSource, "hybrid_search/rails/callable_source"
    autoload :ModelStores, "hybrid_search/rails/model_stores"
    autoload :SyncJob, "hybrid_search/rails/sync_job"
    autoload :Tenant, "hybrid_search/rails/tenant"

    class << self
      # @return [Configuration] the settings of `config/hybrid_search.yml`, or those given to {.configure}
      def configuration
        @configuration ||= Configuration.load
      end

      # Set options from Ruby instead of `config/hybrid_search.yml`; open stores are closed.
      #
      # @param settings [Hash] see {Configuration}
      # @return [Configuration]
      # @raise [InvalidInputError] a setting is unknown or not acceptable
      def configure(**settings)
        self.configuration = Configuration.new(settings)
      end

      # @param configuration [Configuration]
      # @return [Configuration]
      def configuration=(configuration)
        Collections.close
        @configuration = configuration
      end

      # Run a block with other callbacks: `:bulk` collects the changed records of the block and writes them at its end,
      # in batches; `false` writes nothing; `:inline`, `:async` and `:queue` are the modes of the macro.
      #
      # @param mode [Symbol, Boolean] `:bulk`, `:inline`, `:async`, `:queue` or false
      # @return [Object] the value of the block
      # @raise [InvalidInputError] the mode is unknown
      def callbacks(mode, &)
        CallbackMode.use(mode, &)
      end

      # @return [Array<Class>] the models that declare `hybrid_search`, by name
      def models
        Models.all
      end

      # Load everything that the first search would load: dictionaries, models and stores. Call it before a server
      # forks.
      #
      # @return [void]
      def eager_load!
        Tokenizer.new.tokenize("")
        constants.each { |name| const_get(name) if name != :SyncJob || defined?(::ActiveJob) }
        models.each { |model| model.hybrid_index.collection }
      end

      # Return a Rack application with the search page of a model's index, for `mount` in `config/routes.rb`.
      #
      # @param model [Class] a model that declares `hybrid_search`
      # @param options [Hash] `all_tenants: true` for a model with a tenant, and the options of {HttpService}
      # @yieldparam request [Rack::Request]
      # @yieldreturn [Boolean] whether the request is served; others get 404
      # @return [SearchPage]
      def search_page(model, **options, &)
        SearchPage.new(model, **options, &)
      end
    end
  end
end

ActiveSupport.on_load(:active_record) { extend HybridSearch::Rails::Macro }
require_relative "rails/railtie" if defined?(Rails::Railtie)
