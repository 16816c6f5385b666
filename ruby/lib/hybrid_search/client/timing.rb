# frozen_string_literal: true

module HybridSearch
  module Client
    # Clocks, sleep and chance of the network clients, so that tests need not wait.
    class Timing
      include Base::ShortInspect

      # @return [#call] seconds that only go forward
      attr_reader :clock
      # @return [#call] seconds since 1970, to read dates by
      attr_reader :now
      # @return [#call] waits some seconds
      attr_reader :sleep
      # @return [#call] a number from 0 up to, but not including, 1
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
