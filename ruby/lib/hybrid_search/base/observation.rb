# frozen_string_literal: true

module HybridSearch
  module Base
    # Reports events to an observer: the operation, its size and its duration (OBS-1). Without an observer nothing is
    # measured.
    #
    # An error that the observer raises stops nothing; only the first one is logged.
    class Observation
      include ShortInspect

      # An event without an observer.
      module Unmeasured
        # @return [void]
        def self.update(**); end
      end
      private_constant :Unmeasured

      # @param observer [#instrument, #call, Observation, nil]
      # @return [Observation] the observation of an observer; an Observation is returned as it is
      def self.of(observer)
        observer.is_a?(Observation) ? observer : new(observer)
      end

      # @param observer [#instrument, #call, nil] with `instrument(name, data) { … }`, as `ActiveSupport::Notifications`
      #   has it; or a callable that is called with name and data afterwards
      # @raise [InvalidInputError] the observer has neither method
      def initialize(observer = nil)
        unless observer.nil? || observer.respond_to?(:instrument) || observer.respond_to?(:call)
          raise Validation.failure("observer", observer, "a callable or an object with instrument")
        end

        @observer = observer
        @failed = false
      end

      # Measure the block as an event.
      #
      # @param name [String] the operation: "search", "recall" …
      # @param data [Hash{Symbol=>Object}] plain data that is known at the beginning
      # @yieldparam event [#update] takes data that is known only at the end
      # @return [Object] the value of the block
      def measure(name, **data, &)
        return yield(Unmeasured) if @observer.nil?

        outcome = nil
        begin
          tell("#{name}.hybrid_search", data) { (outcome = Outcome.of(data, &)).value }
        rescue StandardError => e
          failed(e) unless outcome && e.equal?(outcome.problem)
        end
        outcome ||= Outcome.of(data, &)
        outcome.value
      end

      private

      def tell(name, data, &)
        return @observer.instrument(name, data, &) if @observer.respond_to?(:instrument)

        begin
          yield
        ensure
          @observer.call(name, data)
        end
      end

      def failed(problem)
        return if @failed

        @failed = true
        Log.warning("the observer failed, which is told once: #{Validation.foreign_error(problem)}")
      end

      # The outcome of the work, which an observer cannot change.
      class Outcome
        include ShortInspect

        # @return [StandardError, nil] the error that the work raised
        attr_reader :problem

        # @param data [Hash{Symbol=>Object}] receives the duration of the work, and the class of its error
        # @return [Outcome]
        def self.of(data)
          began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          new(yield(data), nil)
        rescue StandardError => e
          data[:error] = e.class.name.to_s.split("::").last
          new(nil, e)
        ensure
          data[:duration] = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - began) * 1000.0
        end

        # @param value [Object] the value of the work
        # @param problem [StandardError, nil]
        def initialize(value, problem)
          @value = value
          @problem = problem
        end

        # @return [Object] the value of the work
        # @raise [StandardError] the error that the work raised
        def value
          raise @problem if @problem

          @value
        end
      end
      private_constant :Outcome
    end
  end
end
