# frozen_string_literal: true

module HybridSearch
  module Client
    # Limits of time and size.
    class Limits
      include Base::ShortInspect

      # @return [Float] seconds for making a connection, TLS included
      attr_reader :connect_timeout
      # @return [Float] seconds of silence while waiting for bytes
      attr_reader :read_timeout
      # @return [Float] seconds of the whole exchange, for messages
      attr_reader :deadline
      # @return [Integer] the largest body
      attr_reader :max_response_bytes

      def initialize(connect_timeout:, read_timeout:, deadline:, max_response_bytes:)
        @connect_timeout = connect_timeout
        @read_timeout = read_timeout
        @deadline = deadline
        @max_response_bytes = max_response_bytes
        freeze
      end

      # @param seconds [Float]
      # @return [Limits] the same with another deadline
      def with_deadline(seconds)
        Limits.new(connect_timeout:, read_timeout:, deadline: seconds, max_response_bytes:)
      end
    end

    # The remaining time of one exchange, measured by a clock that only goes forward.
    class Deadline
      include Base::ShortInspect

      # A request is sent only if the smaller of both is left: this number of seconds, or this share of the whole time.
      LEAST_SECONDS = 0.05
      LEAST_SHARE = 0.02

      # @param limits [Limits] time limits of the parts of the exchange
      # @param clock [#call] returns seconds that only go forward
      # @param at [Float] the end of the exchange, on the clock
      def initialize(limits, clock, at)
        @limits = limits
        @clock = clock
        @at = at
      end

      # @return [Float] seconds until the deadline; 0 or less once it has passed
      def left
        @at - @clock.call
      end

      # @return [void]
      # @raise [ExchangeError] the deadline has passed
      def check
        raise past unless left.positive?
      end

      # @param seconds [Float]
      # @return [void]
      # @raise [ExchangeError] fewer seconds are left
      def demand(seconds)
        raise past if left < seconds
      end

      # @return [Float] the minimum number of seconds that must remain to send a request
      def least
        [LEAST_SECONDS, LEAST_SHARE * @limits.deadline].min
      end

      # @return [Float] the maximum number of seconds until the next bytes
      # @raise [ExchangeError] the deadline has passed
      def for_bytes
        check
        [left, @limits.read_timeout].min
      end

      # @return [Float] the time, on the clock, by which the connection must be made
      def connected_by
        [@clock.call + @limits.connect_timeout, @at].min
      end

      # @param instant [Float] an instant on the clock
      # @return [Float] seconds until then; 0 or less once it has passed
      def until(instant)
        instant - @clock.call
      end

      # @return [ExchangeError] the error for a connection that was not made in time
      def not_connected
        left.positive? ? late("could not be connected to", @limits.connect_timeout) : past
      end

      # @param waited [Float] the seconds waited, which {#for_bytes} returned
      # @return [ExchangeError] the error for bytes that did not come in time
      def silent(waited)
        waited < @limits.read_timeout ? past : late("did not answer", @limits.read_timeout)
      end

      # @return [ExchangeError] the error for a deadline that has passed
      def past
        shown = Base::Validation.describe(@limits.deadline)
        ExchangeError.new("did not answer before the deadline of #{shown} seconds", retryable: false)
      end

      private

      def late(what, seconds)
        ExchangeError.new("#{what} within #{Base::Validation.describe(seconds)} seconds")
      end
    end
  end
end
