# frozen_string_literal: true

module HybridSearch
  module Client
    # How long and how much.
    class Limits
      include Base::ShortInspect

      # @return [Float] seconds for making a connection, TLS included
      attr_reader :connect_timeout
      # @return [Float] seconds of silence while waiting for bytes
      attr_reader :read_timeout
      # @return [Float] seconds that the deadline was set at, for messages
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

    # The time that one exchange has, by a clock that only goes forward.
    class Deadline
      include Base::ShortInspect

      # No request goes out with less time left than the smaller one: so many seconds, that share of the whole.
      LEAST_SECONDS = 0.05
      LEAST_SHARE = 0.02

      # @param limits [Limits] how long its parts may take
      # @param clock [#call] seconds that only go forward
      # @param at [Float] when, by the clock, all must be done
      def initialize(limits, clock, at)
        @limits = limits
        @clock = clock
        @at = at
      end

      # @return [Float] seconds until the deadline; not above 0 once it has passed
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

      # @return [Float] how many seconds must be left for a request to go out
      def least
        [LEAST_SECONDS, LEAST_SHARE * @limits.deadline].min
      end

      # @return [Float] how many seconds the next bytes may take
      # @raise [ExchangeError] the deadline has passed
      def for_bytes
        check
        [left, @limits.read_timeout].min
      end

      # @return [Float] when, by the clock, there must be a connection
      def connected_by
        [@clock.call + @limits.connect_timeout, @at].min
      end

      # @param instant [Float] an instant by the clock
      # @return [Float] seconds until then; not above 0 once it has passed
      def until(instant)
        instant - @clock.call
      end

      # @return [ExchangeError] there was no connection in time
      def not_connected
        left.positive? ? late("could not be connected to", @limits.connect_timeout) : past
      end

      # @param waited [Float] seconds, as {#for_bytes} gave them
      # @return [ExchangeError] no bytes came while one waited
      def silent(waited)
        waited < @limits.read_timeout ? past : late("did not answer", @limits.read_timeout)
      end

      # @return [ExchangeError] the deadline has passed
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
