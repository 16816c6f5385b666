# frozen_string_literal: true

require "active_job"

module HybridSearch
  module Rails
    # Writes the present state of records into the index of their model; a record that is gone is removed.
    #
    # Safe to run twice and in any order. A store or an embedding service that fails is asked again, later each time.
    class SyncJob < ::ActiveJob::Base
      # The number of runs before the error goes to the backend of the jobs.
      ATTEMPTS = 10

      queue_as { Rails.configuration.queue }
      retry_on DocStoreError, EmbeddingError, attempts: ATTEMPTS, wait: ->(runs) { (runs**4) + 2 + rand(runs * 5) }

      # @param model [String] the name of a model
      # @param ids [Array<Object>] of records
      # @return [void]
      def perform(model, ids)
        Models.find(model).hybrid_index.sync(ids)
      end
    end
  end
end
