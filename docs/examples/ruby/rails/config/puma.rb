# frozen_string_literal: true

threads_count = ENV.fetch("RAILS_MAX_THREADS", 5).to_i
threads threads_count, threads_count
workers ENV.fetch("WEB_CONCURRENCY", 2).to_i
preload_app!
bind "tcp://127.0.0.1:#{ENV.fetch("PORT", 3000)}"
environment ENV.fetch("RAILS_ENV", "development")

before_fork do
  HybridSearch::Rails.eager_load!
  ActiveRecord::Base.connection_pool.disconnect!
end
