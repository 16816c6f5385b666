# frozen_string_literal: true

require "rails/railtie"
require "hybrid_search/railtie"

module HybridSearch
  module Rails
    # Adds the integration to a Rails application: errors with status 400, log lines, the runtime of requests, jobs of
    # queued changes, a check of the indexes at boot, tasks and generators.
    class Railtie < ::Rails::Railtie
      config.hybrid_search = ::ActiveSupport::OrderedOptions.new
      config.eager_load_namespaces << Rails

      # An invalid request of a visitor is not a failure of the application.
      initializer "hybrid_search.rescue_responses", before: "action_dispatch.configure" do |application|
        if application.config.respond_to?(:action_dispatch)
          application.config.action_dispatch.rescue_responses["HybridSearch::InvalidInputError"] = :bad_request
          application.config.action_dispatch.rescue_responses["HybridSearch::InvalidCursorError"] = :bad_request
        end
      end

      initializer "hybrid_search.log" do
        LogSubscriber.attach_to(:hybrid_search)
        Runtime.attach_to(:hybrid_search)
        ::ActiveSupport.on_load(:action_controller) { include HybridSearch::Rails::ControllerRuntime }
      end

      initializer "hybrid_search.queue" do |application|
        application.executor.to_complete { ChangeQueue.flush }
      end

      config.after_initialize do |application|
        Maintenance.log_stale if application.config.eager_load && application.config.hybrid_search.check != false
      end

      rake_tasks { load ::File.expand_path("tasks.rake", __dir__) }

      generators do
        require "hybrid_search/rails/generators/install_generator"
        require "hybrid_search/rails/generators/model_generator"
        require "hybrid_search/rails/generators/postgres_generator"
      end
    end
  end
end
