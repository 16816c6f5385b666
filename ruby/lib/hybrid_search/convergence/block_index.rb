# frozen_string_literal: true

module HybridSearch
  # Numbered blocks of source code, each with a vector; immutable (CNV-6, CNV-7).
  class BlockIndex
    include Base::ShortInspect

    # @return [Array<Convergence::Block>] the blocks in the order of rows
    attr_reader :blocks
    # @return [Convergence::VectorRows] their vectors
    attr_reader :rows
    # @return [String] the folder of the repository
    attr_reader :repo_name
    # @return [Hash{String=>Object}] data stored with the index
    attr_reader :notes

    # @param path [String] the folder of an index
    # @return [BlockIndex]
    # @raise [IndexCorruptError] the index is damaged, half-written, or missing
    def self.open(path)
      stored = Convergence::IndexFiles.new(Base::Validation.text("path", path)).read
      index = allocate
      index.send(:set, stored.blocks, stored.rows, stored.repo_name, stored.notes)
      index
    end

    # @param blocks [Array<Hash>] the `file_path`, `start_line` and `end_line` of each block (from 0, both inclusive),
    #   and the `definitions` that overlap it, as `{qualified_name, kind, start_line, end_line}`; all are optional
    # @param vectors [Array<Array<Float>>] one vector for each block, all of one length
    # @param repo_name [String] the folder of the repository; if all paths begin with it, it is removed from them
    # @param notes [Hash{String=>Object}, nil] data to store with the index, which canonical JSON must be able to
    #   represent: how it was embedded, for example
    # @raise [InvalidInputError] an argument is not acceptable, or an option unknown
    # @raise [DimensionMismatchError] vectors are not of one length
    def initialize(blocks, vectors, repo_name: "", notes: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[blocks vectors repo_name notes])
      raise Base::Validation.failure("blocks", blocks, "a list of objects") unless blocks.is_a?(::Array)

      read = blocks.each_with_index.map { |block, place| Convergence::Block.of("blocks[#{place}]", block) }
      kept = notes.nil? ? {} : Base::Validation.mapping("notes", notes)
      set(read, rows_of(vectors, read.size), Base::Validation.text("repo_name", repo_name), kept)
    end

    # Write the index to a folder, which is created if necessary; vectors become float32.
    #
    # @param path [String]
    # @return [void]
    # @raise [InvalidInputError] a component is too large for float32, or the notes are not plain data
    # @raise [SystemCallError] the system refuses
    def write(path)
      rows = Convergence::VectorRows.of_bytes(@rows.to_bytes, dimension)
      raise InvalidInputError, "vectors must fit float32" unless rows.finite?

      Convergence::IndexFiles.new(Base::Validation.text("path", path)).write(
        Convergence::StoredIndex.new(blocks: @blocks, rows:, repo_name: @repo_name, notes: @notes)
      )
    end

    # @return [Integer] the number of blocks
    def size
      @blocks.size
    end

    # @return [Integer] the number of components of a vector; 0 without vectors
    def dimension
      @rows.dimension
    end

    # @param row [Integer]
    # @return [String, nil] the file of a block, without the repository's name; nil if it has no file
    def file(row)
      @files[row]
    end

    private

    def inspected
      { repo_name: @repo_name, size:, dimension: }
    end

    def set(blocks, rows, repo_name, notes)
      @blocks = blocks.freeze
      @rows = rows
      @repo_name = repo_name
      @notes = notes.freeze
      @files = files(blocks.map(&:file_path), "#{repo_name}/").freeze
      freeze
    end

    def files(paths, prefix)
      return paths if @repo_name.empty? || !paths.all? { |path| path.nil? || path.start_with?(prefix) }

      paths.map do |path|
        cleaned = path&.delete_prefix(prefix)
        cleaned unless cleaned.nil? || cleaned.empty?
      end
    end

    def rows_of(vectors, count)
      raise Base::Validation.failure("vectors", vectors, "a list of vectors") unless vectors.is_a?(::Array)
      if vectors.size != count
        raise InvalidInputError, "vectors must be as many as blocks, #{count}, not #{vectors.size}"
      end

      checked = []
      vectors.each_with_index do |vector, place|
        checked << Base::Validation.vector("vectors[#{place}]", vector, dimension: checked.first&.size)
      end
      Convergence::VectorRows.of(checked, checked.first&.size || 0)
    end
  end
end
