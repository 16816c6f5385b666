# frozen_string_literal: true

module HybridSearch
  module Readers
    # What fills an index with the contents of files (FIL-6).
    module IndexAdditions
      FILE_OPTIONS = %w[chunker mapping other_keys on_error prune batch_size progress].freeze
      private_constant :FILE_OPTIONS

      # Add the documents that files contain, and update those that have changed.
      #
      # Texts and Markdown are cut into chunks; each row of a table is a document, and so is each object of JSON.
      # Repeating the call embeds only what has changed. HTML, PDF, documents of Word and spreadsheets are read by the
      # Python package alone.
      #
      # @param paths [String, #to_path, Array] files, folders, or patterns with `*`, `?` and `**`; a list or one of them
      # @param chunker [Chunker, nil] cuts documents; default: a {Chunker}
      # @param mapping [Hash, nil] the key of a record → the column of a table, or the name in JSON, that contains its
      #   value
      # @param other_keys [String, Symbol, nil] what to do with names that records do not have, as for {Index#add}; by
      #   default columns of tables are moved into `metadata`, and names in JSON are refused
      # @param on_error [String, Symbol] what to do with a file, or a record in it, that cannot be read: "stop" raises
      #   an error, "skip" skips it
      # @param prune [Boolean] whether to remove the documents of files that are gone
      # @param batch_size [Integer] as for {Index#add}
      # @param progress [#call, nil] as for {Index#add}
      # @return [AddedFiles] the numbers of files and documents, and the files that were skipped, with the reasons
      # @raise [InvalidInputError] an argument is not accepted, or a file cannot be read; earlier batches stay stored
      def add_files(paths = Embeddings::NOT_GIVEN, *more, chunker: nil, mapping: nil, other_keys: nil, on_error: "stop",
                    prune: false, batch_size: 256, progress: nil, **unknown)
        paths = Base::Validation.argument("add_files", "paths", [paths, *more], unknown, FILE_OPTIONS)
        walk = FileWalk.new(file_paths(paths))
        reader = FileReader.new(
          chunker.nil? ? Chunker.new : chunker,
          mapping.nil? ? {} : Base::Validation.mapping("mapping", mapping),
          other_keys.nil? ? nil : Base::Validation.choice("other_keys", other_keys, Records::RecordMapping::OTHER_KEYS)
        )
        stops = Base::Validation.choice("on_error", on_error, FileImport::ON_ERROR) == FileImport::STOP
        batch_size = Base::Validation.integer("batch_size", batch_size, 1)
        prune = Base::Validation.boolean("prune", prune)
        ledger = FileLedger.new(store, walk)
        run = FileImport.new(walk, reader, ledger, @writer.importer(ledger.method(:changed)), stops)
        run.run(batch_size, progress, @writer.method(:delete), prune)
      end

      private

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
