# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search copy`.
      module CopyCommand
        module_function

        # Copy the documents of one store into another.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          flags = line.flags
          raise UsageError, "copy needs two addresses: the source and the target" if line.arguments.size != 2

          batch_size = Base::Validation.integer("--batch-size", flags["batch-size"], 1)
          first, second = line.arguments.map { |text| StoreAddress.new(text) }
          raise UsageError, "the source and the target are the same" if first.text == second.text

          counts = with(first.source(flags)) do |source|
            with(second.target(flags)) { |target| copied(source, target, batch_size, flags, console) }
          end
          Report.report(counts, flags["format"], console)
          0
        end

        # Close a store after the block, if it can be closed.
        def with(store)
          yield store
        ensure
          store&.close if store.respond_to?(:close)
        end
        private_class_method :with

        def copied(source, target, batch_size, flags, console)
          how = flags["progress"] || (console.terminal_for_errors? ? ProgressChoice::BAR : ProgressChoice::NONE)
          counts = ProgressChoice.open(how, console, source.count) do |progress|
            CopyRun.new(source, target, batch_size, progress).run
          end
          copy_embedding(source, target)
          counts
        end
        private_class_method :copied

        # Note the embedding of the source, if both are files and the target has no note.
        def copy_embedding(source, target)
          return unless source.is_a?(SqliteDocStore) && target.is_a?(SqliteDocStore)

          name = Stores::Sqlite::FileEmbedding::NOTE
          note = source.note(name)
          target.set_note(name, note) if note && target.note(name).nil?
        end
        private_class_method :copy_embedding
      end
    end
  end
end
