# frozen_string_literal: true

module HybridSearch
  class Generations
    # Waits for locks that other processes hold, and makes the errors for locks that are held too long.
    module Waiting
      # The seconds between two attempts, at first and at most.
      FIRST_PAUSE = 0.001
      LONGEST_PAUSE = 0.02
      private_constant :FIRST_PAUSE, :LONGEST_PAUSE

      module_function

      # @param place [Object] the place to name in the message
      # @param timeout [Float] the maximum number of seconds
      # @yieldreturn [Object] false or nil as long as another process holds the lock
      # @return [Object] the value of the block
      # @raise [DocStoreError] the lock was not free in time
      def until_taken(place, timeout)
        deadline = now + timeout
        pause = FIRST_PAUSE
        loop do
          taken = yield
          return taken if taken

          if now > deadline
            waited = Base::Validation.describe(timeout)
            raise DocStoreError, "#{place} is locked: another writer has not let go of it for #{waited} seconds"
          end

          sleep(pause)
          pause = [2 * pause, LONGEST_PAUSE].min
        end
      end

      # @param place [Object] the place to name in the message
      # @return [DocStoreError] the error for a generation that is built already
      def built(place)
        DocStoreError.new("#{place} is being reindexed by another process, or thread; wait until it has ended")
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
      private_class_method :now
    end
  end
end
