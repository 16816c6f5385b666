# frozen_string_literal: true

require "active_support/concern"

module HybridSearch
  module Rails
    # Adds the time of searches to the line of a request: `Completed 200 OK in 31ms (… | HybridSearch: 12.3ms)`.
    module ControllerRuntime
      extend ::ActiveSupport::Concern

      # The class methods of controllers that report on a request.
      module ClassMethods
        # @param payload [Hash{Symbol=>Object}] the payload of the event `process_action.action_controller`
        # @return [Array<String>] the parts of the line
        def log_process_action(payload)
          messages = super
          spent = payload[:hybrid_search_runtime]
          messages << format("HybridSearch: %.1fms", spent) if spent&.positive?
          messages
        end
      end

      private

      def process_action(*)
        Runtime.reset
        super
      end

      def append_info_to_payload(payload)
        super
        payload[:hybrid_search_runtime] = Runtime.reset
      end
    end
  end
end
