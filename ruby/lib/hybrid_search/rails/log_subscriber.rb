# frozen_string_literal: true

require "active_support/log_subscriber"

module HybridSearch
  module Rails
    # Writes a log line of level debug for each search and each batch that is written. Lines contain neither questions
    # nor texts.
    class LogSubscriber < ::ActiveSupport::LogSubscriber
      # @param event [ActiveSupport::Notifications::Event]
      # @return [void]
      def search(event)
        line(event, "Search", "#{event.payload[:shown]} of #{event.payload[:total]} hits, page #{event.payload[:page]}")
      end

      # @param event [ActiveSupport::Notifications::Event]
      # @return [void]
      def upsert(event)
        line(event, "Upsert", "#{event.payload[:documents]} documents")
      end
      alias add upsert
      alias update upsert

      # @param event [ActiveSupport::Notifications::Event]
      # @return [void]
      def embed(event)
        line(event, "Embed", "#{event.payload[:texts]} texts")
      end

      # Return the logger that Rails assigned, as for other subscribers.
      #
      # @return [Logger, nil]
      def logger
        ::ActiveSupport::LogSubscriber.logger
      end

      private

      def line(event, name, told)
        told = event.payload[:error] if event.payload[:error]
        debug { "  #{color("HybridSearch #{name} (#{event.duration.round(1)}ms)", :yellow)}  #{told}" }
      end
    end
  end
end
