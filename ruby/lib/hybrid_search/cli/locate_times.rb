# frozen_string_literal: true

module HybridSearch
  module Cli
    # How long the stages of `locate` take (CNV-6).
    class LocateTimes
      include Base::ShortInspect

      STAGES = %w[open embed retrieve rerank map].freeze

      # @param clock [#call] tells seconds
      def initialize(clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
        @clock = clock
        @began = clock.call
        @seconds = STAGES.to_h { |name| [name, 0.0] }
      end

      # What the block takes counts for a stage.
      #
      # @param name [String]
      # @return [Object] what the block gives
      def stage(name)
        began = @clock.call
        begin
          yield
        ensure
          @seconds[name] += @clock.call - began
        end
      end

      # @return [Hash{String=>Float}] stage => seconds, in thousandths; and those of all, since the beginning
      def seconds
        whole = @seconds.merge("total" => @clock.call - @began)
        whole.transform_values { |seconds| (seconds * 1000).to_i / 1000.0 }
      end
    end
  end
end
