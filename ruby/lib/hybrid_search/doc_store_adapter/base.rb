# frozen_string_literal: true

module HybridSearch
  # A store of documents that can be searched (DOC-1).
  #
  # A document is an object with the field names of a RAGFlow index: `id`, token fields (`*_tks`, `*_ltks`) as
  # blank-separated text, keyword fields (`*_kwd`), vectors (`q_{dim}_vec`) and any other fields to store. A nil value
  # means that the field is missing. A store copies documents when it takes and when it returns them: a later change of
  # such an object does not change the store.
  #
  # @abstract
  class DocStoreAdapter
    include Base::ShortInspect

    # Add new documents, all of them or none.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] the number of added documents
    # @raise [InvalidInputError] a document has no id, an id that is repeated or already stored, or an unacceptable
    #   value
    # @raise [DimensionMismatchError] the length of a vector is not the one in the name of its field
    def insert(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("insert")
    end

    # Change stored documents, all of them or none.
    #
    # A given field replaces the stored one; nil removes it.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] the number of documents whose content changed
    # @raise [InvalidInputError] as {#insert}, and for an id that is not stored
    # @raise [DimensionMismatchError] as {#insert}
    def update(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("update")
    end

    # Add new documents and replace stored ones as a whole, all of them or none.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] the number of documents that were added or whose content changed
    # @raise [InvalidInputError] as {#insert}, except that an id may already be stored
    # @raise [DimensionMismatchError] as {#insert}
    def upsert(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("upsert")
    end

    # Remove documents; ids that are not stored are ignored.
    #
    # @param identifiers [Array<String>]
    # @return [Integer] the number of removed documents
    def delete(identifiers) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("delete")
    end

    # @return [Hash{String=>Object}, nil] the stored document
    def get(identifier) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("get")
    end

    # Return stored documents in the order of the given ids, with nil for an id that is not stored.
    #
    # Stores that can read several documents at once override this method.
    #
    # @param identifiers [Array<String>]
    # @param vector_fields [Array<String>, nil] the vector fields to return; nil returns all
    # @return [Array<Hash{String=>Object}, nil>]
    def get_many(identifiers, vector_fields = nil)
      documents = identifiers.map { |identifier| get(identifier) }
      vector_fields.nil? ? documents : documents.map { |one| without_vectors(one, vector_fields) }
    end

    # @return [Integer] the number of documents
    def count
      raise missing("count")
    end

    # @return [Integer, String] a value that changes whenever the visible content changes
    def generation
      raise missing("generation")
    end

    # @return [Boolean] whether the next search for the best documents also returns the generation (DOC-11)
    def states_generation?
      false
    end

    # @return [Hash{String=>Object}] `status` ("green" when the store works), `documents` and `generation`
    def health
      raise missing("health")
    end

    # Return the size of the store's content as plain data (DOC-6).
    #
    # A store that does not count a part reports it as nil, as this method does for most.
    #
    # @return [Hash{String=>Object}] `documents`; `tokens`; `fields`, name → `documents` that have it and their
    #   `tokens`; `vectors`, as {#vector_fields}; `without_vectors`, the number of documents without vectors; `memory`,
    #   part → bytes; and `generation`
    def stats
      { "documents" => count, "tokens" => nil, "fields" => nil, "vectors" => vector_fields, "without_vectors" => nil,
        "memory" => nil, "generation" => generation }
    end

    # Return the known facts about the vectors (DOC-7), without reading documents.
    #
    # @return [Hash{String=>Hash{String=>Object}}, nil] nil if the store does not count vectors, as here. Otherwise
    #   vector field → `dimension`; `count`, the number of documents that have it; `missing`, the number of those that
    #   do not; `model`, the name of the model that made the vectors, or nil; and `origin`: "index" if an index embedded
    #   them, "records" if records brought them, "both", or nil. A field without vectors is listed as long as its model
    #   is stored
    def vector_fields
      nil
    end

    # Store the name of the model and the origin of a field's vectors (DOC-7); this method ignores them.
    #
    # Storing the same values again changes nothing. The generation stays the same.
    #
    # @param field [String] a vector field
    # @param model [String, nil] the name of the model; nil if it is not known
    # @param origin [String] "index" if an index embeds documents, "records" if the records bring their vectors
    # @return [void]
    # @raise [InvalidInputError] an argument is invalid, or the field has vectors and the stored model is another one
    def keep_vector_model(field, model, origin = "index") # rubocop:disable Lint/UnusedMethodArgument -- the interface
      nil
    end

    # Find documents.
    #
    # @param select_fields [Array<String>, nil] the fields to return; nil returns all
    # @param filters [Hash{String=>Object}, nil] the condition that documents have to meet (DOC-2)
    # @param match_exprs [Array<AdapterKit::MatchTextExpr, AdapterKit::MatchDenseExpr, AdapterKit::FusionExpr>] empty, a
    #   text query, a dense query, or both and a fusion
    # @param order_by [Array<Array(String, String)>] `[field, "asc" or "desc"]` pairs that sort the documents before the
    #   score does. Ids in ascending order break ties
    # @param limit [Integer] the maximum number of documents to return
    # @param offset [Integer] the number of documents to skip first
    # @param rank_feature [Hash{String=>Float}, nil] the weights of page rank and tags in the scores of the text leg
    #   (RNK-10)
    # @param highlight_fields [Array<String>] the fields to highlight; the first one that contains a keyword is used
    #   (DOC-4)
    # @param agg_fields [Array<String>] the fields whose values are counted over all candidates (DOC-4)
    # @param keywords [Array<String>] the words to highlight
    # @return [AdapterKit::SearchResult]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [DimensionMismatchError] the length of a query vector is not the one in the name of its field
    def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0, # rubocop:disable Lint/UnusedMethodArgument -- the interface
               rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: []) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("search")
    end

    # Return all candidates in the order of ORD-1; {#search} returns a slice of them.
    # @param match_exprs [Array<AdapterKit::MatchTextExpr, AdapterKit::MatchDenseExpr, AdapterKit::FusionExpr>]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] pairs of (id, score)
    def rank(match_exprs, filters = nil) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("rank")
    end

    # @!group Guarantees of a store (DOC-8)
    # A store with other guarantees overrides these methods.

    # @return [Boolean] whether the scores of text queries equal those of a {MemoryDocStore}, bit for bit
    def exact_text?
      false
    end

    # @return [Boolean] whether the store finds the documents of a {MatchBm25fExpr} (DOC-9), with its own scores
    def supports_bm25f?
      exact_text?
    end

    # @return [Boolean] whether a dense leg finds all the nearest vectors, with exact cosines bit for bit (NUM-3)
    def exact_dense?
      true
    end

    # @return [Boolean] whether a batch is stored as a whole or not at all, also in the view of every reader
    def atomic_batches?
      true
    end

    # @return [Boolean] whether scores depend on the current documents alone, not on their order or on earlier changes
    def history_free?
      true
    end

    # @return [Boolean] whether the store's own score is final, so that local reranking is skipped (RNK-6)
    def fuses_scores?
      false
    end

    # @!endgroup

    private

    # Return a document with only those vectors whose fields are in `kept`.
    def without_vectors(document, kept)
      document&.select { |field, _| kept.include?(field) || !Stores::Documents::StoredDocument.vector_field?(field) }
    end

    def missing(method)
      DocStoreError.new("this document store does not implement #{method}")
    end
  end
end
