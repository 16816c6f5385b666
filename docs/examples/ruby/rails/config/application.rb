# frozen_string_literal: true

require_relative "boot"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "kaminari"
require "hybrid_search/rails"

# Articles of several accounts, which each see their own.
class Library < Rails::Application
  config.load_defaults 6.1
  config.active_job.queue_adapter = :async
  config.secret_key_base = ENV.fetch("SECRET_KEY_BASE", "only for this example")
end
