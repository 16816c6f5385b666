# frozen_string_literal: true

module HybridSearch
  module Base
    # Tells an observer of events: what was done, how much of it, and how long it took (OBS-1); without one nothing is
    # measured.
    #
    # What an observer raises is logged, the first time, and stops nothing.
    class Observation
      include ShortInspect

      # An event that nobody is told of.
      module Unmeasured
        # @return [void]
        def self.update(**); end
      end
      private_constant :Unmeasured

      # @param observer [#instrument, #call, Observation, nil]
      # @return [Observation] the observation of an observer; one that is an observation already stays
      def self.of(observer)
        observer.is_a?(Observation) ? observer : new(observer)
      end

      # @param observer [#instrument, #call, nil] with `instrument(name, data) { … }`, as `ActiveSupport::Notifications`
      #   has it; or a callable that is called with name and data afterwards
      # @raise [InvalidInputError] it is neither
      def initialize(observer = nil)
        unless observer.nil? || observer.respond_to?(:instrument) || observer.respond_to?(:call)
          raise Validation.failure("observer", observer, "a callable or an object with instrument")
        end

        @observer = observer
        @failed = false
      end

      # A block that is an event.
      #
      # @param name [String] what is done: "search", "recall" …
      # @param data [Hash{Symbol=>Object}] plain data that is known at the beginning
      # @yieldparam event [#update] takes what is known only at its end
      # @return [Object] what the block gives
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

      # What came of the work, whatever the observer makes of it.
      class Outcome
        include ShortInspect

        # @return [StandardError, nil] what the work raised
        attr_reader :problem

        # @param data [Hash{Symbol=>Object}] gets how long the work took, and the class of what it raised
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

        # @param value [Object] what the work gave
        # @param problem [StandardError, nil]
        def initialize(value, problem)
          @value = value
          @problem = problem
        end

        # @return [Object] what the work gave
        # @raise [StandardError] what it raised
        def value
          raise @problem if @problem

          @value
        end
      end
      private_constant :Outcome
    end
  end
end
