# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search index`.
      module IndexCommand
        REFUSE = Records::RecordMapping::REFUSE
        private_constant :REFUSE

        # The settings with which the records of a command line are stored.
        Work = Struct.new(:flags, :mapped, :batch_size, :console) do
          # Store all records and return the counts.
          def stored(file, embedding, rejects, lines, stops: flags["on-error"] == IndexRun::STOP)
            how = flags["progress"] || (console.terminal_for_errors? ? ProgressChoice::BAR : ProgressChoice::NONE)
            files = lines if lines.is_a?(FileLines)
            changed = files&.followed(file.store)
            importer = Records::Importer.new(file.store, embedding, changed:, workers: flags["workers"])
            run = IndexRun.new(importer, mapped, rejects, stops, flags.key?("rebuild"))
            ProgressChoice.open(how, console, lines.size) { |progress| run.all(lines, batch_size, progress) }
            prune = flags.key?("prune") || flags.key?("watch")
            cleaned = files ? files.cleaned(file.store.method(:delete), prune) : {}
            warnings = Stores::VectorModels.check(file.store, embedding).map { |warning| "warning: #{warning}" }
            [*files&.skipped, *warnings].reject(&:empty?).each { |text| console.complain(Command::PROGRAM, text) }
            { **run.counts, **cleaned, "documents" => file.store.count }
          end
        end

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

          mapping = MappingFlags.of_flags(flags["map"] || [])
          batch_size = Records::BatchLimits.checked(flags["batch-size"], "--batch-size")
          Base::Validation.integer("--workers", flags["workers"], 1, DocumentBuilder::MOST_WORKERS)
          walk = flags.key?("watch") ? WatchFlags.walk_of(line) : walk(line)
          reader = walk && reader(line, mapping)
          lines = walk ? FileLines.new(walk, reader) : RecordLines.new(line.arguments, console.stdin)
          # The reader of files has already applied the mapping.
          mapped = Records::RecordMapping.new(walk ? {} : mapping, walk ? REFUSE : flags["other-keys"] || REFUSE)
          # If the choice is refused, no new file is left behind.
          EmbeddingFlags.choice_of(flags, nil).provider unless File.exist?(flags["index"])
          work = Work.new(flags, mapped, batch_size, console)
          return watched(work, walk, reader, lines) if flags.key?("watch")

          counts = Rejects.open(flags["rejects"], console) do |rejects|
            IndexFile.open(flags["index"], read_only: false, made: true) do |file|
              next work.stored(file, chosen(file, flags), rejects, lines) unless flags.key?("rebuild")

              file.rebuilding { |fresh| work.stored(fresh, chosen(fresh, flags), rejects, lines) }
            end
          end
          Report.report(counts, flags["format"], console)
          0
        end

        # Store the files, and store them again whenever they change. All changes since the beginning are noticed.
        def watched(work, walk, reader, lines)
          flags = work.flags
          WatchFlags.watching(walk, flags["index"]) do |changes|
            Rejects.open(flags["rejects"], work.console) do |rejects|
              IndexFile.open(flags["index"], read_only: false, made: true) do |file|
                embedding = chosen(file, flags)
                show(work, work.stored(file, embedding, rejects, lines))
                changes.each do
                  again = FileLines.new(walk.again, reader)
                  show(work, work.stored(file, embedding, rejects, again, stops: false))
                end
              end
            end
          end
          0
        end
        private_class_method :watched

        def show(work, counts)
          Report.report(counts, work.flags["format"], work.console)
          work.console.flush
        end
        private_class_method :show

        # Return the files of a command line; nil if it names only JSON Lines.
        def walk(line)
          Readers::FileWalk.new(line.arguments) if FileLines.are_wanted(line.arguments)
        end
        private_class_method :walk

        def reader(line, mapping)
          flags = line.flags
          chunker = Chunker.new(size: flags["chunk-size"] || Chunker::DEFAULT_SIZE, overlap: flags["chunk-overlap"])
          Readers::FileReader.new(chunker, mapping, flags["other-keys"])
        end
        private_class_method :reader

        # Return the embedding, and note it in a file without a note unless the records have their own vectors. The
        # flags replace the note if all documents are replaced, or if the file has no documents.
        def chosen(file, flags)
          given = EmbeddingFlags.given?(flags)
          noted = given && (flags.key?("rebuild") || file.store.count.zero?) ? nil : file.noted
          kept = noted || (given ? nil : file.choice)
          choice = EmbeddingFlags.choice_of(flags, kept)
          embedding = Embedding.chosen(choice) # raises before an unusable choice is stored in the file
          Stores::VectorModels.check(file.store, embedding)
          file.choose(choice) if noted.nil? && (kept.nil? || choice.embed != Embeddings::ModelNames::NONE)
          embedding
        end
        private_class_method :chosen
      end
    end
  end
end
