# frozen_string_literal: true

require "active_support/concern"
require "hybrid_search/rails/testing"

module HybridSearch
  module Rails
    module Testing
      # For `ActiveSupport::TestCase`: `include HybridSearch::Rails::Testing::TestCase` in `test_helper.rb`, after
      # `require "hybrid_search/rails/minitest"`.
      #
      # Tests write nothing into indexes, but within {#with_search}, or in a class that says `searches!`. Workers of
      # `parallelize` have indexes of their own.
      module TestCase
        extend ::ActiveSupport::Concern

        included do
          parallelize_setup { |number| HybridSearch::Rails::Testing.worker(number) } if respond_to?(:parallelize_setup)
          HybridSearch::Rails::Testing.disable!
        end

        # What a class of tests can say.
        module ClassMethods
          # Have every test of this class begin with empty indexes that are written at once.
          #
          # @return [void]
          def searches!
            setup do
              HybridSearch::Rails::Testing.clear
              HybridSearch::Rails::Testing.inline!
            end
            teardown { HybridSearch::Rails::Testing.disable! }
          end
        end

        # @return [Object] the value of the block, in which indexes are written at once
        def with_search(&)
          HybridSearch::Rails::Testing.searching(&)
        end
      end
    end
  end
end
