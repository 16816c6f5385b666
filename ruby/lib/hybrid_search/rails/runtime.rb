# frozen_string_literal: true

require "active_support/subscriber"

module HybridSearch
  module Rails
    # Adds up the durations of a request's searches, in milliseconds.
    class Runtime < ::ActiveSupport::Subscriber
      KEY = :hybrid_search_runtime
      private_constant :KEY

      # @return [Float] the milliseconds since the last reset in this thread; the sum starts again at 0
      def self.reset
        spent = ::Thread.current[KEY] || 0.0
        ::Thread.current[KEY] = 0.0
        spent
      end

      # @param event [ActiveSupport::Notifications::Event]
      # @return [void]
      def search(event)
        ::Thread.current[KEY] = (::Thread.current[KEY] || 0.0) + event.duration
      end
    end
  end
end
