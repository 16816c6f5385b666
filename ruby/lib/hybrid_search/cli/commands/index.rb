# frozen_string_literal: true

module HybridSearch
  module Commanding
    # `hybrid-search index`.
    module IndexCommand
      module_function

      # Store records.
      #
      # @param line [CommandLine]
      # @param console [Console]
      # @return [Integer] the exit status
      def run(line, console)
        flags = line.flags
        if flags.key?("rejects") && flags["on-error"] == IndexRun::STOP
          raise UsageError, "--rejects needs --on-error skip"
        end

        mapping = RecordMapping.new(flags["map"] || [], flags["other-keys"])
        batch_size = Validation.integer("--batch-size", flags["batch-size"], 1)
        lines = RecordLines.new(line.arguments, console.stdin)
        # Whatever is refused leaves no new file behind.
        EmbeddingChoice.of_flags(flags, nil).embedding unless File.exist?(flags["index"])
        counts = Rejects.open(flags["rejects"], console) do |rejects|
          IndexFile.open(flags["index"], read_only: false, made: true) do |file|
            next stored(file, flags, mapping, rejects, lines, batch_size, console) unless flags.key?("rebuild")

            file.rebuilding { |fresh| stored(fresh, flags, mapping, rejects, lines, batch_size, console) }
          end
        end
        Report.report(counts, flags["format"], console)
        0
      end

      # Store all records; gives the counts.
      def stored(file, flags, mapping, rejects, lines, batch_size, console)
        choice = chosen(file, flags)
        how = flags["progress"] || (console.terminal_for_errors? ? Progress::BAR : Progress::NONE)
        Progress.open(how, console, lines.size) do |progress|
          importer = Importer.new(file.store, choice.embedding)
          run = IndexRun.new(importer, mapping, rejects, flags["on-error"] == IndexRun::STOP, flags.key?("rebuild"))
          run.all(lines, batch_size, progress)
          { **run.counts, "documents" => file.store.count }
        end
      end
      private_class_method :stored

      def chosen(file, flags)
        rebuilt = flags.key?("rebuild") && EmbeddingChoice::FLAGS.values.any? { |flag| flags.key?(flag) }
        kept = rebuilt ? nil : file.choice
        choice = EmbeddingChoice.of_flags(flags, kept)
        if kept.nil?
          choice.embedding # refuses what it cannot do before the file holds it
          file.choose(choice)
        end
        choice
      end
      private_class_method :chosen
    end
  end
end
