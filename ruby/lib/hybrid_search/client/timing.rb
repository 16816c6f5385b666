# frozen_string_literal: true

module HybridSearch
  module Client
    # Clocks, sleep and randomness of the network clients, so that tests need not wait.
    class Timing
      include Base::ShortInspect

      # @return [#call] returns seconds that only go forward
      attr_reader :clock
      # @return [#call] returns seconds since 1970, for comparison with dates
      attr_reader :now
      # @return [#call] waits a number of seconds
      attr_reader :sleep
      # @return [#call] returns a random number from 0 up to, but not including, 1
      attr_reader :chance

      def initialize(clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }, now: -> { Time.now.to_f },
                     sleep: ->(seconds) { Kernel.sleep(seconds) }, chance: -> { Kernel.rand })
        @clock = clock
        @now = now
        @sleep = sleep
        @chance = chance
        freeze
      end
    end
  end
end
