# frozen_string_literal: true

require "rails/railtie"
require "active_support/notifications"

module HybridSearch
  # In a Rails application, lines go to `Rails.logger` and events to `ActiveSupport::Notifications`, unless the
  # application has set something else before. The gem loads this file if Rails is loaded.
  class Railtie < ::Rails::Railtie
    initializer "hybrid_search.logger", after: :initialize_logger do
      HybridSearch.logger ||= ::Rails.logger
    end

    initializer "hybrid_search.observer" do
      HybridSearch.observer ||= ::ActiveSupport::Notifications
    end
  end
end
