# frozen_string_literal: true

require "hybrid_search/rails"

module HybridSearch
  module Rails
    # Helpers for the tests of a Rails application: `require "hybrid_search/rails/testing"`, or
    # `hybrid_search/rails/rspec`, or `hybrid_search/rails/minitest`.
    #
    # A test without searches needs no index: {Testing.disable!}. A test with searches writes at once:
    # {Testing.inline!}.
    module Testing
      DIMENSION = 64
      # The embedding of tests: the vector of a text is the same in every run.
      HASHING = { "name" => "hashing", "dimension" => DIMENSION }.freeze
      private_constant :HASHING

      class << self
        # @return [Symbol, Boolean, nil] `:inline`, false; nil: the modes of the models apply
        attr_reader :mode

        # Write nothing into indexes from now on.
        #
        # @return [void]
        def disable!
          change(false)
        end

        # Write changed records at once, including those of a test's own transaction.
        #
        # @return [void]
        def inline!
          change(:inline)
        end

        # Apply the modes of the models.
        #
        # @return [void]
        def reset!
          change(nil)
        end

        # Run a block with empty indexes that are written at once; afterwards, everything is as before.
        #
        # @return [Object] the value of the block
        def searching
          before = mode
          clear
          inline!
          yield
        ensure
          change(before)
          clear
        end

        # Make vectors without a model: the same text always has the same vector, similar texts have similar ones.
        #
        # @param dimension [Integer]
        # @return [void]
        def fake_embeddings!(dimension: DIMENSION)
          Rails.configuration = Rails.configuration.with(embedding: { **HASHING, "dimension" => dimension })
        end

        # Give a process its own indexes, for `parallelize_setup` and the like.
        #
        # @param number [Integer, String] the number of the worker
        # @return [void]
        def worker(number)
          @prefix ||= Rails.configuration.prefix
          Rails.configuration = Rails.configuration.with(prefix: "#{@prefix}worker-#{number}-")
        end

        # Remove everything from all indexes.
        #
        # @return [void]
        def clear
          Rails.models.each do |model|
            collection = model.hybrid_index.collection
            collection.delete(collection.ids.to_a)
          end
        end

        # Write all records of a model, or of all models, into its index, as for fixtures.
        #
        # @param models [Array<Class>]
        # @return [void]
        def refresh(*models)
          (models.empty? ? Rails.models : models).each do |model|
            index = model.hybrid_index
            there = index.relation.reorder(nil).pluck(model.arel_table[model.primary_key]).map(&:to_s)
            index.sync(index.collection.ids.to_a | there)
          end
        end

        private

        def change(mode)
          @mode = mode
          CallbackMode.of_tests = mode
        end
      end
    end
  end
end
