# frozen_string_literal: true

require "active_support/concern"
require "hybrid_search/rails/testing"

module HybridSearch
  module Rails
    module Testing
      # A module for `ActiveSupport::TestCase`: `include HybridSearch::Rails::Testing::TestCase` in `test_helper.rb`,
      # after `require "hybrid_search/rails/minitest"`.
      #
      # Tests write nothing into indexes, except in {#with_search}, or in a class that calls `searches!`. Workers of
      # `parallelize` have their own indexes.
      module TestCase
        extend ::ActiveSupport::Concern

        included do
          parallelize_setup { |number| HybridSearch::Rails::Testing.worker(number) } if respond_to?(:parallelize_setup)
          HybridSearch::Rails::Testing.disable!
        end

        # The class methods of test classes.
        module ClassMethods
          # Let every test of this class begin with empty indexes that are written at once.
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
