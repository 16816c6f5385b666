# frozen_string_literal: true

require "active_support/concern"
require "hybrid_search/rails/testing"

module HybridSearch
  module Testing
    # For `ActiveSupport::TestCase`: `include HybridSearch::Testing::TestCase` in `test_helper.rb`, after
    # `require "hybrid_search/rails/minitest"`.
    #
    # Tests write nothing into indexes, but within {#with_search}, or in a class that says `searches!`. Workers of
    # `parallelize` have indexes of their own.
    module TestCase
      extend ::ActiveSupport::Concern

      included do
        parallelize_setup { |number| HybridSearch::Testing.worker(number) } if respond_to?(:parallelize_setup)
        HybridSearch::Testing.disable!
      end

      # What a class of tests can say.
      module ClassMethods
        # Have every test of this class begin with empty indexes that are written at once.
        #
        # @return [void]
        def searches!
          setup do
            HybridSearch::Testing.clear
            HybridSearch::Testing.inline!
          end
          teardown { HybridSearch::Testing.disable! }
        end
      end

      # @return [Object] the value of the block, in which indexes are written at once
      def with_search(&)
        HybridSearch::Testing.searching(&)
      end
    end
  end
end
