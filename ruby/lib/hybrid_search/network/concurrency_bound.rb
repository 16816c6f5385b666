# frozen_string_literal: true

module HybridSearch
  # How many calls may be under way at once: a number of places; who finds none waits.
  class ConcurrencyBound
    # @param max_concurrency [Integer] how many places there are, at least 1
    # @raise [InvalidInputError] the number is not acceptable
    def initialize(max_concurrency)
      @free = Validation.integer("max_concurrency", max_concurrency, 1)
      @lock = Thread::Mutex.new
      @given_back = Thread::ConditionVariable.new
    end

    # Take a place, waiting for one some seconds.
    #
    # @param timeout [Float]
    # @return [Boolean] whether there was one
    def enter(timeout)
      until_at = now + timeout
      @lock.synchronize do
        while @free.zero?
          left = until_at - now
          return false unless left.positive?

          @given_back.wait(@lock, left)
        end
        @free -= 1
      end
      true
    end

    # Give the place back.
    #
    # @return [void]
    def leave
      @lock.synchronize do
        @free += 1
        @given_back.signal
      end
    end

    private

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
