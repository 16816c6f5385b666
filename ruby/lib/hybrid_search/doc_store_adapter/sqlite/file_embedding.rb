# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # The embedding that an index file states, for callers that open it without one (SQL-1).
      module FileEmbedding
        # The name of the note that states the embedding of a file.
        NOTE = "cli.embedding"

        module_function

        # @param store [SqliteDocStore]
        # @return [Embeddings::EmbeddingChoice, nil] the choice that was noted in a file when it was made; nil without a
        #   note
        def noted(store)
          text = store.note(NOTE)
          text && Embeddings::EmbeddingChoice.of_text(text)
        end

        # Note the embedding of a file whose index was given the name of a model (EMB-4).
        #
        # @param store [SqliteDocStore] the file
        # @param name [Object] the given embedding; only a text is noted
        # @param embedding [Embedding, nil] the embedding of that name
        # @param any_vectors [Boolean] as for `VectorModels.check`
        # @return [void]
        # @raise [InvalidInputError] another model is noted, and the file has documents, or vectors are of another model
        def keep(store, name, embedding, any_vectors)
          return unless name.is_a?(String)

          choice = Embeddings::EmbeddingChoice.named(name)
          before = noted(store)
          return if before == choice

          if before && store.count.positive?
            raise InvalidInputError, "the embedding of this file is #{before.to_text}, not #{choice.to_text}: open " \
                                     "it without an embedding, or fill an empty file"
          end
          VectorModels.check(store, embedding, any_vectors:)
          store.set_note(NOTE, choice.to_text)
        end

        # Return the embedding of a file: the noted choice, otherwise the choice that its vectors show.
        #
        # Vectors of the hashing embedder show it by the name of their model. Vectors of other models need an embedding
        # from the caller.
        #
        # @param store [SqliteDocStore]
        # @return [Embeddings::EmbeddingChoice, nil] nil: the file has no vectors and no note
        def choice_of(store)
          choice = noted(store)
          return choice if choice

          held = store.vector_fields.values.select { |told| told["count"].positive? }
          hashing = held.select { |told| told["model"] == "hashing-#{told["dimension"]}" }
          best = hashing.each_with_index.min_by { |told, place| [-told["count"], place] }
          if best
            return Embeddings::EmbeddingChoice.new(embed: Embeddings::ModelNames::HASHING,
                                                   dimension: best[0]["dimension"])
          end

          held.empty? ? nil : Embeddings::EmbeddingChoice.new(embed: Embeddings::ModelNames::NONE)
        end
      end
    end
  end
end
