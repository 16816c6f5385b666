# frozen_string_literal: true

require "active_job"

module HybridSearch
  module Rails
    # Writes the current state of records into the index of their model; removed records are removed from it.
    #
    # Safe to run twice and in any order. If a store or an embedding service fails, the job is retried after growing
    # pauses.
    class SyncJob < ::ActiveJob::Base
      # The number of runs before the error is passed to the backend of the jobs.
      ATTEMPTS = 10

      queue_as { Rails.configuration.queue }
      retry_on DocStoreError, EmbeddingError, attempts: ATTEMPTS, wait: ->(runs) { (runs**4) + 2 + rand(runs * 5) }

      # @param model [String] the name of a model
      # @param ids [Array<Object>] the ids of records
      # @return [void]
      def perform(model, ids)
        Models.find(model).hybrid_index.sync(ids)
      end
    end
  end
end
