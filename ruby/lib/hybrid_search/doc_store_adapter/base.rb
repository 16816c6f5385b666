# frozen_string_literal: true

module HybridSearch
  # A place that holds documents and finds them again (DOC-1).
  #
  # A document is an object of the field names of an existing RAGFlow index: `id`, token fields (`*_tks`, `*_ltks`) as
  # blank-separated text, keyword fields (`*_kwd`), vectors (`q_{dim}_vec`) and whatever else is to be kept. A nil value
  # means that the field is missing. Documents go in and come out as values: changing one outside changes nothing in the
  # store.
  #
  # @abstract
  class DocStoreAdapter
    include Base::ShortInspect

    # Add new documents, all of them or none.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] how many were added
    # @raise [InvalidInputError] a document without an id, an id twice or already stored, an unacceptable value
    # @raise [DimensionMismatchError] a vector whose length is not the one its field's name gives
    def insert(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("insert")
    end

    # Change stored documents, all of them or none: fields given replace the stored ones, nil removes one.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] how many were changed; one that is the same afterwards does not count
    # @raise [InvalidInputError] as {#insert}, and for an id that is not stored
    # @raise [DimensionMismatchError] as {#insert}
    def update(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("update")
    end

    # Add new documents and replace stored ones as a whole, all of them or none.
    #
    # @param documents [Array<Hash{String=>Object}>]
    # @return [Integer] how many were added or changed; one that is stored already as it is given does not count
    # @raise [InvalidInputError] as {#insert}, but for an id that is already stored
    # @raise [DimensionMismatchError] as {#insert}
    def upsert(documents) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("upsert")
    end

    # Remove documents; ids that are not stored are passed over.
    #
    # @param identifiers [Array<String>]
    # @return [Integer] how many were removed
    def delete(identifiers) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("delete")
    end

    # @return [Hash{String=>Object}, nil] the stored document
    def get(identifier) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("get")
    end

    # Return stored documents in the order of their ids, nil for one that is not stored.
    #
    # A store that reads several documents at once overrides it.
    #
    # @param identifiers [Array<String>]
    # @param vector_fields [Array<String>, nil] the vector fields to return; nil returns all
    # @return [Array<Hash{String=>Object}, nil>]
    def get_many(identifiers, vector_fields = nil)
      documents = identifiers.map { |identifier| get(identifier) }
      vector_fields.nil? ? documents : documents.map { |one| without_vectors(one, vector_fields) }
    end

    # @return [Integer] how many documents there are
    def count
      raise missing("count")
    end

    # @return [Integer, String] a value that is another one whenever the visible content has changed
    def generation
      raise missing("generation")
    end

    # @return [Hash{String=>Object}] `status` ("green" when the store works), `documents` and `generation`
    def health
      raise missing("health")
    end

    # What is in the store, in plain data (DOC-6); a part that it does not count is nil, as most are here.
    #
    # @return [Hash{String=>Object}] `documents`; `tokens`; `fields`, name → `documents` with it and their `tokens`;
    #   `vectors`, as {#vector_fields}; `without_vectors`, the number of documents that have none; `memory`, part →
    #   bytes; and `generation`
    def stats
      { "documents" => count, "tokens" => nil, "fields" => nil, "vectors" => vector_fields, "without_vectors" => nil,
        "memory" => nil, "generation" => generation }
    end

    # What is known of the vectors (DOC-7), without reading documents; nil: nothing is counted, as here.
    #
    # @return [Hash{String=>Hash{String=>Object}}, nil] vector field → `dimension`; `count`, the number of documents
    #   that have it; `missing`, the number of those that do not; `model`, the name of the model that made the vectors,
    #   or nil; and `origin`: "index" embedded them, "records" brought them, or "both"; or nil. Fields without vectors
    #   are there while a model is kept
    def vector_fields
      nil
    end

    # Keep which model makes the vectors of a field, and where they come from (DOC-7); here it is forgotten.
    #
    # Nothing happens where it is kept already. The generation stays.
    #
    # @param field [String] a vector field
    # @param model [String, nil] the name of the model; nil: not known
    # @param origin [String] "index" where an index embeds documents, "records" where these bring their vectors
    # @return [void]
    # @raise [InvalidInputError] no vector field, no name, no origin, or another model is kept and there are vectors
    def keep_vector_model(field, model, origin = "index") # rubocop:disable Lint/UnusedMethodArgument -- the interface
      nil
    end

    # Find documents.
    #
    # @param select_fields [Array<String>, nil] the fields to return; nil returns all
    # @param filters [Hash{String=>Object}, nil] which documents count at all (DOC-2)
    # @param match_exprs [Array<AdapterKit::MatchTextExpr, AdapterKit::MatchDenseExpr, AdapterKit::FusionExpr>] none, a
    #   text query, a dense query, or both and a fusion
    # @param order_by [Array<Array(String, String)>] `[field, "asc" or "desc"]` pairs; without match expressions the
    #   order, with them an order before the score; ids ascending decide last
    # @param limit [Integer] how many documents to return at the most
    # @param offset [Integer] how many to pass over first
    # @param rank_feature [Hash{String=>Object}, nil] tags of the question; a store may use them for recall or leave
    #   them to the reranker
    # @param highlight_fields [Array<String>] the fields to highlight, the first that holds a keyword counts (DOC-4)
    # @param agg_fields [Array<String>] the fields to count the values of, over all candidates (DOC-4)
    # @param keywords [Array<String>] what to highlight
    # @return [AdapterKit::SearchResult]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [DimensionMismatchError] a query vector whose length is not the one its field's name gives
    def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0, # rubocop:disable Lint/UnusedMethodArgument -- the interface
               rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: []) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("search")
    end

    # All candidates in the order of ORD-1: what {#search} takes a slice of.
    #
    # @param match_exprs [Array<AdapterKit::MatchTextExpr, AdapterKit::MatchDenseExpr, AdapterKit::FusionExpr>]
    # @param filters [Hash{String=>Object}, nil]
    # @return [Array<Array(String, Float)>] pairs of (id, score)
    def rank(match_exprs, filters = nil) # rubocop:disable Lint/UnusedMethodArgument -- the interface
      raise missing("rank")
    end

    # @!group What a store promises (DOC-8)
    # A store that promises something else than is said here overrides it.

    # @return [Boolean] whether the scores of text queries are those of a {MemoryDocStore}, bit for bit
    def exact_text?
      false
    end

    # @return [Boolean] whether a dense leg finds all the nearest vectors, with their cosines bit for bit (NUM-3)
    def exact_dense?
      true
    end

    # @return [Boolean] whether a batch is stored whole or not at all, and is seen so by every reader
    def atomic_batches?
      true
    end

    # @return [Boolean] whether scores depend on the documents alone, not on their order or on what was changed and
    #   deleted
    def history_free?
      true
    end

    # @return [Boolean] whether the store's own score is the final one, so that local reranking is skipped (RNK-6)
    def fuses_scores?
      false
    end

    # @!endgroup

    private

    # A document with no other vectors than those that are kept.
    def without_vectors(document, kept)
      document&.select { |field, _| kept.include?(field) || !Stores::Documents::StoredDocument.vector_field?(field) }
    end

    def missing(method)
      DocStoreError.new("this document store does not implement #{method}")
    end
  end
end
