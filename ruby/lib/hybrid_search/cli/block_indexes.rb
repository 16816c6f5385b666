# frozen_string_literal: true

module HybridSearch
  module Cli
    # Finds the block indexes for `locate` (CNV-6, CNV-7).
    class BlockIndexes
      include Base::ShortInspect

      MANIFEST = "manifest.json"
      EMBEDDING = "embedding"
      FIELDS = %w[file_path start_line end_line definitions].freeze
      private_constant :MANIFEST, :FIELDS

      # @param index [BlockIndex]
      # @return [Embeddings::EmbeddingChoice, nil] the choice of the embedding of an index; nil if it is not stated
      # @raise [IndexCorruptError] the statement has an unknown form
      def self.choice_of(index)
        told = index.notes[EMBEDDING]
        told.nil? ? nil : Embeddings::EmbeddingChoice.of_text(Base::CanonicalJson.write(told))
      end

      # @param path [String] an index; a folder of indexes named after instances or repositories; or an index file,
      #   whose documents have the fields of a block in their metadata
      # @raise [InputError] the path is none of these
      def initialize(path)
        @path = path
        @key = nil
        @last = nil
        return if index? || folder?

        raise InputError, "#{Usage.shown(path)} is not a block index, a folder of them, or an index file"
      end

      # @param instance [Instance]
      # @return [BlockIndex, nil] the index of an instance; the last one stays open
      # @raise [Error] the index is damaged
      def of(instance)
        place = place(instance)
        return if place.nil?

        key = [place, instance.repo_name.to_s]
        if @key != key
          @last = FileTest.file?(place) ? of_file(*key) : BlockIndex.open(place)
          @key = key
        end
        @last
      end

      # @param instance [Instance]
      # @return [String] the message that an instance has no index
      def missing(instance)
        names = names(instance).map { |name| Usage.shown(name) }
        return "no index in #{Usage.shown(@path)}: its names cannot be those of folders" if names.empty?

        "no index in #{Usage.shown(@path)}: there is no folder #{names.join(" or ")}"
      end

      private

      def inspected
        { path: @path }
      end

      def index?
        FileTest.file?(@path) || FileTest.exist?(File.join(@path, MANIFEST))
      end

      # Return whether the folder contains a folder.
      def folder?
        Dir.each_child(@path).any? { |name| FileTest.directory?(File.join(@path, name)) }
      rescue SystemCallError, ArgumentError
        false
      end

      def place(instance)
        return @path if index?

        names(instance).map { |name| File.join(@path, name) }.find { |place| FileTest.directory?(place) }
      end

      # Return the possible names of the folder of an instance's index, in the order in which they are tried.
      def names(instance)
        names = [instance.identifier, instance.repo_name, instance.repository].compact.uniq
        names.select { |name| plain?(name) }
      end

      def plain?(name)
        !name.empty? && !name.include?("/") && !name.include?("\0") && name != "." && name != ".."
      end

      # Return a block index of the documents of an index file that have a vector, by id.
      def of_file(path, repo_name)
        blocks = []
        vectors = []
        notes = {}
        IndexFile.open(path) do |file|
          choice = file.choice
          notes = { EMBEDDING => choice.to_h.transform_keys(&:to_s) } if choice
          file.store.rank([]).each do |identifier, _|
            document = file.store.get(identifier) || {}
            vector = vector(document)
            next if vector.nil?

            blocks << block(document["metadata"] || {})
            vectors << vector
          end
        end
        BlockIndex.new(blocks, vectors, repo_name:, notes:)
      end

      # Return the fields of a block; metadata cannot contain lists of objects, so definitions are a JSON text there.
      def block(metadata)
        block = metadata.slice(*FIELDS)
        definitions = block["definitions"]
        definitions.is_a?(::String) ? block.merge("definitions" => Base::StrictJson.parse(definitions)) : block
      rescue JSON::JSONError
        raise InvalidInputError, "metadata.definitions must be a list in JSON"
      end

      def vector(document)
        name = document.keys.find { |key| key.start_with?("q_") && key.end_with?("_vec") }
        name && document[name]
      end
    end
  end
end
