# frozen_string_literal: true

module HybridSearch
  module Client
    # A request that got no usable answer.
    class ExchangeError < StandardError
      # @return [String] what the service did or did not do, for messages
      attr_reader :problem
      # @return [Boolean] whether another attempt may succeed
      attr_reader :retryable

      def initialize(problem, retryable: true)
        super(problem)
        @problem = problem
        @retryable = retryable
      end
    end
  end
end
