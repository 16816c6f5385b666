# frozen_string_literal: true

module HybridSearch
  module Readers
    # Watches files for changes (FIL-7). Changes within the block of {open} are never missed.
    class FileWatch
      include Base::ShortInspect

      # The number of seconds after which a stop is noticed.
      WAIT = 0.2
      # The number of seconds without a further change after which changes are reported together.
      QUIET = 0.2
      # The number of seconds after which changes are reported even if there are further ones.
      LONGEST = 2.0
      HIDDEN = %r{(?:\A|/)\.}
      private_constant :HIDDEN

      # @param walk [FileWalk] names the files
      # @param own [String, nil] the path of the index file, whose changes are ignored
      # @param stop [#call] returns whether to stop
      # @yieldparam watch [FileWatch]
      # @return [Object] the value of the block
      # @raise [ConfigurationError] the gem listen is not installed
      def self.open(walk, own, stop)
        watch = new(walk, own, stop)
        begin
          yield watch.tap(&:start)
        ensure
          watch.close
        end
      end

      # @api private
      def initialize(walk, own, stop)
        begin
          require "listen"
        rescue LoadError
          raise ConfigurationError, "watching files needs listen: gem install listen"
        end
        @walk = walk
        @own = own && File.expand_path(own)
        @stop = stop
        @changes = Thread::Queue.new
        @roots = walk.folders.to_h { |folder| [File.realpath(folder.empty? ? "." : folder), folder] }
        @listener = ::Listen.to(*@roots.keys, ignore!: /\A\.git\b/, wait_for_delay: QUIET) do |*kinds|
          paths = kinds.flatten
          @changes << paths if paths.any? { |path| concerns?(path) }
        end
      end

      # @api private
      def start
        @listener.start
      end

      # @api private
      def close
        @listener.stop
      end

      # Wait for changes until the stop; changes in quick succession count as one.
      #
      # @yield after each change
      # @return [void]
      def each
        loop do
          sleep(WAIT) while @changes.empty? && !@stop.call
          return if @stop.call

          settle
          yield
        end
      end

      private

      # Wait until no further change has happened for a moment.
      def settle
        last = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LONGEST
        until @changes.empty? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > last
          @changes.clear
          sleep(QUIET)
        end
      end

      # Return whether a changed path may be that of a file that is read.
      def concerns?(path)
        return false if @own && File.expand_path(path).start_with?(@own) # also its log

        @roots.any? do |root, folder|
          start = root.end_with?("/") ? root : "#{root}/"
          next false unless path.start_with?(start)

          below = path.delete_prefix(start)
          named = folder.empty? ? below : "#{folder.delete_suffix("/")}/#{below}"
          next true if @walk.names?(named)

          @walk.covers?(named) && !HIDDEN.match?(below) && (FileKinds.kind_of(path) || !File.file?(path))
        end
      end
    end
  end
end
