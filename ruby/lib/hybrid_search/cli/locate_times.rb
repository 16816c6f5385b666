# frozen_string_literal: true

module HybridSearch
  module Cli
    # Measures the durations of the stages of `locate` (CNV-6).
    class LocateTimes
      include Base::ShortInspect

      STAGES = %w[open embed retrieve rerank map].freeze

      # @param clock [#call] returns seconds
      def initialize(clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
        @clock = clock
        @began = clock.call
        @seconds = STAGES.to_h { |name| [name, 0.0] }
      end

      # Add the duration of the block to a stage.
      #
      # @param name [String]
      # @return [Object] the value of the block
      def stage(name)
        began = @clock.call
        begin
          yield
        ensure
          @seconds[name] += @clock.call - began
        end
      end

      # @return [Hash{String=>Float}] stage => seconds, rounded to thousandths, with the total since the beginning
      def seconds
        whole = @seconds.merge("total" => @clock.call - @began)
        whole.transform_values { |seconds| (seconds * 1000).to_i / 1000.0 }
      end
    end
  end
end
