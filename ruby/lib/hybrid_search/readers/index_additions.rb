# frozen_string_literal: true

module HybridSearch
  module Readers
    # Fills an index with the contents of files (FIL-6, FIL-7).
    module IndexAdditions
      FILE_OPTIONS = %w[chunker mapping other_keys on_error prune batch_size progress workers].freeze
      WATCH_OPTIONS = %w[chunker mapping other_keys batch_size stop].freeze
      private_constant :FILE_OPTIONS, :WATCH_OPTIONS

      # Add the documents that files contain, and update those that have changed.
      #
      # Texts and Markdown are cut into chunks; each row of a table is a document, and so is each object of JSON.
      # Repeating the call embeds only changed texts. HTML, PDF, Word documents and spreadsheets can be read only by the
      # Python package.
      #
      # @param paths [String, #to_path, Array] files, folders, or patterns with `*`, `?` and `**`; a list or one of them
      # @param chunker [Chunker, nil] cuts documents; default: a {Chunker}
      # @param mapping [Hash, nil] the key of a record → the column of a table, or the name in JSON, that contains its
      #   value
      # @param other_keys [String, Symbol, nil] what to do with names that records do not have, as for {Index#add}; by
      #   default columns of tables are moved into `metadata`, and names in JSON are refused
      # @param on_error [String, Symbol] what to do with a file, or a record in it, that cannot be read: "stop" raises
      #   an error, "skip" skips it
      # @param prune [Boolean] whether to remove the documents of files that no longer exist
      # @param batch_size [Integer, nil] as for {Index#add}
      # @param progress [#call, nil] as for {Index#add}
      # @param workers [Integer] as for {Index#add}
      # @return [AddedFiles] the numbers of files and documents, and the files that were skipped, with the reasons
      # @raise [InvalidInputError] an argument is not accepted, or a file cannot be read; earlier batches stay stored
      def add_files(paths = Embeddings::NOT_GIVEN, *more, chunker: nil, mapping: nil, other_keys: nil, on_error: "stop",
                    prune: false, batch_size: nil, progress: nil, workers: 1, **unknown)
        paths = Base::Validation.argument("add_files", "paths", [paths, *more], unknown, FILE_OPTIONS)
        walk = FileWalk.new(file_paths(paths))
        reader = file_reader(chunker, mapping, other_keys)
        stops = Base::Validation.choice("on_error", on_error, FileImport::ON_ERROR) == FileImport::STOP
        batch_size = Records::BatchLimits.checked(batch_size)
        workers = Base::Validation.integer("workers", workers, 1, DocumentBuilder::MOST_WORKERS)
        read_files(walk, reader, stops, batch_size, progress, Base::Validation.boolean("prune", prune), workers)
      end

      # Add the documents that files contain, and do so again whenever files have changed.
      #
      #   index.watch_files("docs/") { |added| puts added.added }
      #
      # Files that cannot be read, for example half-written ones, are skipped; the documents of files that no longer
      # exist are removed. Everything is read again after a change, but only changed texts are embedded.
      #
      # @param paths [String, #to_path, Array] as for {#add_files}
      # @param chunker [Chunker, nil] as for {#add_files}
      # @param mapping [Hash, nil] as for {#add_files}
      # @param other_keys [String, Symbol, nil] as for {#add_files}
      # @param batch_size [Integer, nil] as for {Index#add}
      # @param stop [#call, nil] returns whether to stop; it is called at least once a second. Without it the iteration
      #   never ends
      # @yieldparam added [AddedFiles] the result of {#add_files}, at first and after each change
      # @return [Enumerator, void]
      # @raise [InvalidInputError] an argument is not accepted, or a folder no longer exists
      # @raise [ConfigurationError] the gem listen is not installed
      def watch_files(paths = Embeddings::NOT_GIVEN, *more, chunker: nil, mapping: nil, other_keys: nil,
                      batch_size: nil, stop: nil, **unknown, &block)
        paths = Base::Validation.argument("watch_files", "paths", [paths, *more], unknown, WATCH_OPTIONS)
        walk = FileWalk.new(file_paths(paths))
        reader = file_reader(chunker, mapping, other_keys)
        batch_size = Records::BatchLimits.checked(batch_size)
        raise Base::Validation.failure("stop", stop, "a callable") unless stop.nil? || stop.respond_to?(:call)

        watched = lambda do |&seen|
          FileWatch.open(walk, @path, stop || -> { false }) do |watch|
            seen.call(read_files(walk, reader, false, batch_size, nil, true, 1))
            watch.each { seen.call(read_files(walk.again, reader, false, batch_size, nil, true, 1)) }
          end
        end
        return Enumerator.new { |found| watched.call { |added| found << added } } unless block

        watched.call(&block)
      end

      private

      def read_files(walk, reader, stops, batch_size, progress, prune, workers)
        ledger = FileLedger.new(store, walk)
        run = FileImport.new(walk, reader, ledger, @writer.importer(ledger.method(:changed), workers), stops)
        run.run(batch_size, progress, @writer.method(:delete), prune)
      end

      def file_reader(chunker, mapping, other_keys)
        FileReader.new(
          chunker.nil? ? Chunker.new : chunker,
          mapping.nil? ? {} : Base::Validation.mapping("mapping", mapping),
          other_keys.nil? ? nil : Base::Validation.choice("other_keys", other_keys, Records::RecordMapping::OTHER_KEYS)
        )
      end

      def file_paths(paths)
        given = paths.is_a?(Array) ? paths : [paths]
        given.map do |path|
          plain = path.respond_to?(:to_path) ? path.to_path : path
          next plain if plain.is_a?(String)

          raise Base::Validation.failure("paths", paths, "a path, or a list of paths")
        end
      end
    end
  end
end
