# frozen_string_literal: true

require "digest/sha2"
require "fileutils"

module HybridSearch
  module Convergence
    # The contents of the files of a block index (CNV-7).
    class StoredIndex
      include Base::Value

      # @return [Array<Block>] in the order of rows
      attr_reader :blocks
      # @return [VectorRows] their vectors
      attr_reader :rows
      # @return [String] the folder of the repository
      attr_reader :repo_name
      # @return [Hash{String=>Object}] further stored data
      attr_reader :notes

      def initialize(blocks:, rows:, repo_name:, notes: {})
        @blocks = blocks
        @rows = rows
        @repo_name = repo_name
        @notes = notes
        freeze
      end
    end

    # The folder of a block index, which both languages read and write: metadata.jsonl, with a line for each block;
    # vectors.f32; and manifest.json, written last (CNV-7).
    class IndexFiles
      include Base::ShortInspect

      VERSION = 1
      METADATA = "metadata.jsonl"
      VECTORS = "vectors.f32"
      MANIFEST = "manifest.json"
      BYTES_PER_COMPONENT = 4
      FIELDS = %w[blocks checksum dimension files notes repo_name version].freeze

      # @param path [String] the folder
      def initialize(path)
        @folder = path
      end

      # Write all files, each next to its place first, then renamed. A half-written folder is not an index.
      #
      # @param stored [StoredIndex]
      # @return [void]
      def write(stored)
        metadata = stored.blocks.map { |block| "#{Base::CanonicalJson.write(block.to_h)}\n" }.join
        contents = { METADATA => metadata, VECTORS => stored.rows.to_bytes }
        text = sealed(
          "version" => VERSION,
          "blocks" => stored.blocks.size,
          "dimension" => stored.rows.dimension,
          "repo_name" => stored.repo_name,
          "notes" => stored.notes,
          "files" => contents.transform_values { |content| Digest::SHA256.hexdigest(content) }
        )
        FileUtils.mkdir_p(@folder)
        contents.merge(MANIFEST => text).each { |name, content| put(name, content) }
      end

      # @return [StoredIndex] the contents of the files
      # @raise [IndexCorruptError] the files are damaged, half-written, or not an index
      def read
        manifest = manifest()
        metadata = content(METADATA, manifest)
        vectors = content(VECTORS, manifest)
        count = manifest["blocks"]
        dimension = manifest["dimension"]
        if vectors.bytesize != count * dimension * BYTES_PER_COMPONENT || count.positive? != dimension.positive?
          raise corrupt("#{VECTORS} does not hold #{count} vectors of #{dimension} components")
        end

        blocks = blocks(metadata)
        raise corrupt("#{METADATA} holds #{blocks.size} blocks, not #{count}") if blocks.size != count

        rows = VectorRows.of_bytes(vectors, dimension)
        raise corrupt("#{VECTORS} contains a number that is not finite") unless rows.finite?

        StoredIndex.new(blocks:, rows:, repo_name: manifest["repo_name"], notes: manifest["notes"])
      end

      private

      def inspected
        { folder: @folder }
      end

      def put(name, content)
        beside = File.join(@folder, ".#{name}.#{Process.pid}.part")
        begin
          File.open(beside, "wb") do |file|
            file.write(content)
            file.fsync
          end
          File.rename(beside, File.join(@folder, name))
        ensure
          FileUtils.rm_f(beside)
        end
        File.open(@folder, &:fsync)
      end

      def manifest
        text = bytes(MANIFEST).force_encoding(Encoding::UTF_8)
        raise corrupt("#{MANIFEST} is not valid UTF-8") unless text.valid_encoding?

        manifest = Base::StrictJson.parse_object(text)
        if manifest.nil? || manifest.keys.sort != FIELDS || !plausible?(manifest)
          raise corrupt("#{MANIFEST} is not that of an index")
        end

        checksum = manifest.delete("checksum")
        raise corrupt("#{MANIFEST} is not as it was written") unless sealed?(manifest, checksum, text)

        if manifest["version"] != VERSION
          raise corrupt("#{MANIFEST} is of version #{manifest["version"]}; this program reads #{VERSION}")
        end

        manifest
      end

      def content(name, manifest)
        content = bytes(name)
        return content if Digest::SHA256.hexdigest(content) == manifest["files"][name]

        raise corrupt("#{name} is not as it was written")
      end

      def blocks(metadata)
        lines = metadata.force_encoding(Encoding::UTF_8).scrub("?").split("\n")
        lines.each_with_index.map { |line, place| Block.of("blocks[#{place}]", Base::StrictJson.parse(line)) }
      rescue JSON::JSONError, InvalidInputError
        raise corrupt("#{METADATA} contains something that is not a block")
      end

      def bytes(name)
        File.binread(File.join(@folder, name))
      rescue SystemCallError => e
        raise corrupt("#{name} cannot be read: #{SystemCallError.new(nil, e.errno).message}")
      end

      def corrupt(reason)
        IndexCorruptError.new("the block index #{File.basename(@folder)} is damaged: #{reason}")
      end

      # Return whether the values of a manifest have the required types.
      def plausible?(manifest)
        manifest.values_at("blocks", "dimension").all? { |count| count.is_a?(::Integer) && count >= 0 } &&
          manifest["repo_name"].is_a?(::String) && manifest.values_at("files", "notes").all?(::Hash)
      end

      # Return the text of a manifest, with the checksum of the rest.
      def sealed(manifest)
        checksum = Digest::SHA256.hexdigest(Base::CanonicalJson.write(manifest))
        "#{Base::CanonicalJson.write(manifest.merge("checksum" => checksum))}\n"
      rescue ArgumentError => e
        raise InvalidInputError, "notes: #{e.message}"
      end

      def sealed?(manifest, checksum, text)
        sealed(manifest) == text && checksum == Digest::SHA256.hexdigest(Base::CanonicalJson.write(manifest))
      rescue InvalidInputError
        false
      end
    end
  end
end
