# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search index`.
      module IndexCommand
        REFUSE = Records::RecordMapping::REFUSE
        private_constant :REFUSE

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
          batch_size = Base::Validation.integer("--batch-size", flags["batch-size"], 1)
          files = files(line, mapping)
          lines = files || RecordLines.new(line.arguments, console.stdin)
          # The reader of files has already applied the mapping.
          mapped = Records::RecordMapping.new(files ? {} : mapping, files ? REFUSE : flags["other-keys"] || REFUSE)
          # A refused choice leaves no new file behind.
          EmbeddingFlags.choice_of(flags, nil).provider unless File.exist?(flags["index"])
          counts = Rejects.open(flags["rejects"], console) do |rejects|
            IndexFile.open(flags["index"], read_only: false, made: true) do |file|
              next stored(file, flags, mapped, rejects, lines, batch_size, console) unless flags.key?("rebuild")

              file.rebuilding { |fresh| stored(fresh, flags, mapped, rejects, lines, batch_size, console) }
            end
          end
          Report.report(counts, flags["format"], console)
          0
        end

        # Return the files of a command line; nil if it names only JSON Lines.
        def files(line, mapping)
          return nil unless FileLines.are_wanted(line.arguments)

          flags = line.flags
          chunker = Chunker.new(size: flags["chunk-size"] || Chunker::DEFAULT_SIZE, overlap: flags["chunk-overlap"])
          reader = Readers::FileReader.new(chunker, mapping, flags["other-keys"])
          FileLines.new(Readers::FileWalk.new(line.arguments), reader)
        end
        private_class_method :files

        # Store all records and return the counts.
        def stored(file, flags, mapped, rejects, lines, batch_size, console)
          embedding = chosen(file, flags)
          how = flags["progress"] || (console.terminal_for_errors? ? ProgressChoice::BAR : ProgressChoice::NONE)
          files = lines if lines.is_a?(FileLines)
          importer = Records::Importer.new(file.store, embedding, changed: files&.followed(file.store))
          run = IndexRun.new(importer, mapped, rejects, flags["on-error"] == IndexRun::STOP, flags.key?("rebuild"))
          ProgressChoice.open(how, console, lines.size) { |progress| run.all(lines, batch_size, progress) }
          cleaned = files ? files.cleaned(file.store.method(:delete), flags.key?("prune")) : {}
          console.complain(Command::PROGRAM, files.skipped) if files && !files.skipped.empty?
          warn_of(file, embedding, console)
          { **run.counts, **cleaned, "documents" => file.store.count }
        end
        private_class_method :stored

        def warn_of(file, embedding, console)
          Stores::VectorModels.check(file.store, embedding).each do |warning|
            console.complain(Command::PROGRAM, "warning: #{warning}")
          end
        end
        private_class_method :warn_of

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
