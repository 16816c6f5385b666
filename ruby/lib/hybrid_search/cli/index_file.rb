# frozen_string_literal: true

module HybridSearch
  module Cli
    # Opens the index file of a command (CUR-5).
    class IndexFile
      include Base::ShortInspect

      # The environment variable with the secret that signs cursors.
      SECRET = "HYBRID_SEARCH_CURSOR_SECRET"

      # @return [SqliteDocStore]
      attr_reader :store

      # Open an index file, which is closed after the block.
      #
      # @param path [String] its path
      # @param read_only [Boolean] whether it is only read
      # @param made [Boolean] whether it is created if it does not exist; otherwise it must exist
      # @yieldparam file [IndexFile]
      # @return [Object] the value of the block
      def self.open(path, read_only: true, made: false)
        file = new(path, read_only:, made:)
        begin
          yield file
        ensure
          file.store.close
        end
      end

      # @param path [String]
      # @param read_only [Boolean]
      # @param made [Boolean]
      def initialize(path, read_only: true, made: false)
        @store = SqliteDocStore.new(path, read_only: !made)
        return if made || read_only

        @store.close
        @store = SqliteDocStore.new(path)
      end

      # Yield an empty copy of the file, whose documents replace all documents at the end of the block.
      #
      # @yieldparam fresh [IndexFile]
      # @return [Object] the value of the block
      def rebuilding
        @store.rebuilding { |store| yield dup.take(store) }
      end

      # @return [Embeddings::EmbeddingChoice, nil] the choice of its embedding, nil if it is not known
      def choice
        Stores::Sqlite::FileEmbedding.choice_of(@store)
      end

      # @return [Embeddings::EmbeddingChoice, nil] the choice of its embedding that was noted when the file was made
      def noted
        Stores::Sqlite::FileEmbedding.noted(@store)
      end

      # Store the choice of its embedding.
      #
      # @param choice [Embeddings::EmbeddingChoice]
      # @return [void]
      def choose(choice)
        @store.set_note(Stores::Sqlite::FileEmbedding::NOTE, choice.to_text)
      end

      # Return an index of the file; without vectors only the text leg runs, unless the options say otherwise.
      #
      # @return [Index]
      def index(**options)
        embedding = Embedding.chosen(choice)
        options = { vector_similarity_weight: 0.0, **options } if embedding.nil?
        Index.new(store: @store, embedding:, cursor_secret: ENV.fetch(SECRET, nil), **options)
      end

      protected

      # Use the file that is rebuilt.
      def take(store)
        @store = store
        self
      end
    end
  end
end
