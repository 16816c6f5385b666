# frozen_string_literal: true

module HybridSearch
  module Client
    # A request got no usable response.
    class ExchangeError < StandardError
      # @return [String] what the service did or failed to do, for messages
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
