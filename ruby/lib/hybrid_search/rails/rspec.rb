# frozen_string_literal: true

require "rspec/core"
require "hybrid_search/rails/testing"

# In `rails_helper.rb`: `require "hybrid_search/rails/rspec"`. Examples write nothing into indexes, except those with
# `hybrid_search: true`, which begin with empty ones. Workers of parallel_tests have their own indexes.
RSpec.configure do |config|
  config.before(:suite) do
    HybridSearch::Rails::Testing.worker(ENV.fetch("TEST_ENV_NUMBER", nil)) unless ENV["TEST_ENV_NUMBER"].to_s.empty?
    HybridSearch::Rails::Testing.disable!
  end
  config.around(:each, :hybrid_search) { |example| HybridSearch::Rails::Testing.searching { example.run } }
end
