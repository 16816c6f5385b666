# frozen_string_literal: true

module HybridSearch
  module Cli
    # Shows the progress of `index`: a bar with rate and remaining time, lines of JSON, or nothing (CUR-5). This class
    # shows nothing.
    class Progress
      include Base::ShortInspect

      # Show that a batch is stored.
      #
      # @param counts [Hash{String=>Integer}] the counts of records since the beginning; the first one is the number of
      #   all records read
      # @param read [Integer] the number of bytes read
      # @return [void]
      def stored(counts, read); end

      # End the display.
      #
      # @return [void]
      def finish; end
    end

    # Writes a line of JSON for each batch; records counted in a line are stored permanently.
    class ProgressLines < Progress
      # @param console [Console]
      def initialize(console)
        super()
        @console = console
      end

      # @see Progress#stored
      def stored(counts, _read)
        @console.tell("#{Base::JsonWriter.write(counts)}\n")
      end
    end

    # A bar in one line of the terminal.
    class ProgressBar < Progress
      WIDTH = 24
      # Minimum number of seconds between two updates of the bar.
      PAUSE = 0.1

      # @param seconds [Float]
      # @return [String] hours, minutes and seconds
      def self.duration(seconds)
        whole = seconds.to_i
        minutes = format("%<minutes>02d:%<seconds>02d", minutes: whole / 60 % 60, seconds: whole % 60)
        whole < 3600 ? minutes : "#{whole / 3600}:#{minutes}"
      end

      # @param console [Console] the console whose standard error is the terminal
      # @param size [Integer, nil] the number of bytes to read, nil if it is not known
      # @param clock [#call] returns seconds
      def initialize(console, size, clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
        super()
        @console = console
        @size = size
        @clock = clock
        @started = clock.call
        @shown = @started - PAUSE
        @last = nil
      end

      # @see Progress#finish
      def finish
        @console.tell("\r#{@last}\e[K\n") if @last
      end

      # @see Progress#stored
      def stored(counts, read)
        now = @clock.call
        @last = picture(counts.values.first, read, now - @started)
        return if now - @shown < PAUSE

        @shown = now
        @console.tell("\r#{@last}\e[K")
      end

      private

      def picture(records, read, seconds)
        rate = seconds.positive? ? records / seconds : 0.0
        told = "#{records} records  #{rate.to_i}/s  #{ProgressBar.duration(seconds)}"
        return told if @size.nil? || @size.zero?

        share = [1.0, read.to_f / @size].min
        full = (share * WIDTH).to_i
        left = share.positive? ? ProgressBar.duration((seconds / share) - seconds) : "?"
        "#{"#" * full}#{"-" * (WIDTH - full)} #{(share * 100).to_i.to_s.rjust(3)} %  #{told}, #{left} left"
      end
    end
  end
end
