# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
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

          mapping = MappingFlags.of_flags(flags["map"] || [], flags["other-keys"])
          batch_size = Base::Validation.integer("--batch-size", flags["batch-size"], 1)
          lines = RecordLines.new(line.arguments, console.stdin)
          # Whatever is refused leaves no new file behind.
          EmbeddingFlags.choice_of(flags, nil).embedding unless File.exist?(flags["index"])
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
          embedding = chosen(file, flags)
          how = flags["progress"] || (console.terminal_for_errors? ? ProgressChoice::BAR : ProgressChoice::NONE)
          importer = Importer.new(file.store, embedding)
          run = IndexRun.new(importer, mapping, rejects, flags["on-error"] == IndexRun::STOP, flags.key?("rebuild"))
          ProgressChoice.open(how, console, lines.size) { |progress| run.all(lines, batch_size, progress) }
          warn_of(file, embedding, console)
          { **run.counts, "documents" => file.store.count }
        end
        private_class_method :stored

        def warn_of(file, embedding, console)
          Stores::VectorModels.check(file.store, embedding).each do |warning|
            console.complain(Command::PROGRAM, "warning: #{warning}")
          end
        end
        private_class_method :warn_of

        # What makes the vectors; noted in a file that has no note, unless its records bring their own. Flags take the
        # place of the note where all documents are replaced, and where there are none.
        def chosen(file, flags)
          given = EmbeddingFlags.given?(flags)
          noted = given && (flags.key?("rebuild") || file.store.count.zero?) ? nil : file.noted
          kept = noted || (given ? nil : file.choice)
          choice = EmbeddingFlags.choice_of(flags, kept)
          embedding = choice.embedding # refuses what it cannot do before the file holds it
          Stores::VectorModels.check(file.store, embedding)
          file.choose(choice) if noted.nil? && (kept.nil? || choice.embed != Embeddings::EmbeddingChoice::NONE)
          embedding
        end
        private_class_method :chosen
      end
    end
  end
end
