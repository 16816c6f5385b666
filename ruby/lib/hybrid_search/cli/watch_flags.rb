# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the flags of `hybrid-search index --watch`, which runs until a signal ends it (CUR-5, FIL-7).
    module WatchFlags
      SIGNALS = %w[INT TERM].freeze

      module_function

      # @param line [CommandLine]
      # @return [Readers::FileWalk] the files to watch
      # @raise [UsageError] there are no files, or all documents are to be replaced in one step
      def walk_of(line)
        raise UsageError, "--watch and --rebuild exclude each other" if line.flags.key?("rebuild")
        if line.arguments.empty? || line.arguments.include?(RecordLines::STANDARD_INPUT)
          raise UsageError, "--watch needs files or folders"
        end

        Readers::FileWalk.new(line.arguments)
      end

      # Watch files in the block; the iteration ends after the first of the signals, the second one ends the program.
      #
      # @param walk [Readers::FileWalk]
      # @param index [String] the path of the index file
      # @yieldparam watch [Readers::FileWatch]
      # @return [Object] the value of the block
      def watching(walk, index)
        stopped = false
        before = {}
        restore = -> { before.each { |name, usual| Signal.trap(name, usual) } }
        Readers::FileWatch.open(walk, index, -> { stopped }) do |watch|
          SIGNALS.each do |name|
            before[name] = Signal.trap(name) do
              stopped = true
              restore.call
            end
          end
          yield watch
        ensure
          restore.call
        end
      end
    end
  end
end
