# frozen_string_literal: true

require "hybrid_search/rails"

module HybridSearch
  module Rails
    # What tests of a Rails application need: `require "hybrid_search/rails/testing"`, or `hybrid_search/rails/rspec`,
    # or `hybrid_search/rails/minitest`.
    #
    # A test that does not search needs no index: {Testing.disable!}. One that does writes at once: {Testing.inline!}.
    module Testing
      DIMENSION = 64
      # Two embeddings of a test's texts are the same in every run.
      HASHING = { "name" => "hashing", "dimension" => DIMENSION }.freeze
      private_constant :HASHING

      class << self
        # @return [Symbol, Boolean, nil] `:inline`, false; nil: what the models declare
        attr_reader :mode

        # Write nothing into indexes from now on.
        #
        # @return [void]
        def disable!
          change(false)
        end

        # Write changed records at once, those of a test's own transaction too.
        #
        # @return [void]
        def inline!
          change(:inline)
        end

        # Let the models do what they declare.
        #
        # @return [void]
        def reset!
          change(nil)
        end

        # Run a block with empty indexes that are written at once; afterwards all is as before.
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
        # @param number [Integer, String] of the worker
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
