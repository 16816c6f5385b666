# frozen_string_literal: true

module HybridSearch
  module Client
    # Bounds the number of calls that run at the same time: a semaphore whose places are given to waiting callers in the
    # order of their arrival.
    class ConcurrencyBound
      include Base::ShortInspect

      # @return [Integer] the number of places
      attr_reader :places

      # @param max_concurrency [Integer] the number of places, at least 1
      # @raise [InvalidInputError] the number is not acceptable
      def initialize(max_concurrency)
        @places = @free = Base::Validation.integer("max_concurrency", max_concurrency, 1)
        @waiting = []
        @lock = Thread::Mutex.new
      end

      # Take a place, waiting up to `timeout` seconds for one.
      #
      # @param timeout [Float]
      # @return [Boolean] whether a place was taken
      def enter(timeout)
        until_at = now + timeout
        @lock.synchronize { take || wait(until_at) }
      end

      # Give the place back, to the caller that has waited longest.
      #
      # @return [void]
      def leave
        @lock.synchronize { pass_on }
      end

      private

      def take
        return false unless @free.positive?

        @free -= 1
        true
      end

      # Wait for a place; the caller stays in the queue until it is given one.
      def wait(until_at)
        given = Thread::ConditionVariable.new
        @waiting.push(given)
        while @waiting.include?(given) && (left = until_at - now).positive?
          given.wait(@lock, left)
        end
        in_vain = @waiting.delete(given)
        waited = true
        in_vain.nil?
      ensure
        pass_on unless waited || @waiting.delete(given) # Interrupted with a place that nothing else gives back.
      end

      def pass_on
        first = @waiting.shift
        first ? first.signal : @free += 1
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
