# frozen_string_literal: true

module HybridSearch
  module Cli
    # The index file of a command, opened (CUR-5).
    class IndexFile
      include Base::ShortInspect

      # An environment variable: what cursors are signed with.
      SECRET = "HYBRID_SEARCH_CURSOR_SECRET"

      # @return [SqliteDocStore]
      attr_reader :store

      # An index file that is closed after the block.
      #
      # @param path [String] where it is
      # @param read_only [Boolean] whether it stays as it is
      # @param made [Boolean] whether it is made when there is none; else it must be there
      # @yieldparam file [IndexFile]
      # @return [Object] what the block gives
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

      # Yield the file without documents; what it holds at the end of the block takes the place of all documents.
      #
      # @yieldparam fresh [IndexFile]
      # @return [Object] what the block gives
      def rebuilding
        @store.rebuilding { |store| yield dup.take(store) }
      end

      # @return [Embeddings::EmbeddingChoice, nil] how it is embedded, nil if it does not say
      def choice
        Stores::Sqlite::FileEmbedding.choice_of(@store)
      end

      # @return [Embeddings::EmbeddingChoice, nil] how it is embedded, as it was noted when the file was made
      def noted
        Stores::Sqlite::FileEmbedding.noted(@store)
      end

      # Keep how it is embedded.
      #
      # @param choice [Embeddings::EmbeddingChoice]
      # @return [void]
      def choose(choice)
        @store.set_note(Stores::Sqlite::FileEmbedding::NOTE, choice.to_text)
      end

      # What answers questions from it; without vectors the text alone decides, unless the options say otherwise.
      #
      # @return [Index]
      def index(**options)
        embedding = Embedding.chosen(choice)
        options = { vector_similarity_weight: 0.0, **options } if embedding.nil?
        Index.new(store: @store, embedding:, cursor_secret: ENV.fetch(SECRET, nil), **options)
      end

      protected

      # Be the file that is rebuilt.
      def take(store)
        @store = store
        self
      end
    end
  end
end
