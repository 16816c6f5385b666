# frozen_string_literal: true

module HybridSearch
  # The front door: records in, hits out (IDX-3, IDX-6).
  #
  #   index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new)
  #   index.add([{ id: "1", content: "MISRA C++ rule 6-2-1: no assignment in sub-expressions" }])
  #   index.search("rule 6-2-1").each { |hit| puts hit.score, hit.content }
  class Index
    include ShortInspect

    OPTIONS = %w[
      store path embedding tokenizer synonyms term_weight fields title_weight any_vectors max_question_length
      max_results cursor_secret ranking_cache kernels observer
    ].concat(Searching::SearchSettings::OPTIONS).freeze
    NOT_GIVEN = Embeddings::NOT_GIVEN
    private_constant :NOT_GIVEN

    # @return [DocStoreAdapter] where the documents are
    attr_reader :store

    # An index whose documents are in a file: `new(path:, **options)`, for a path that is not nil; closed after the
    # block, if one is given.
    #
    # @param path [String, #to_path] where the file is; made when there is none
    # @param options [Hash] see {#initialize}
    # @yieldparam index [Index]
    # @return [Index, Object] the index, or what the block gives
    # @raise [InvalidInputError] `path` is nil or empty, as an environment variable that is not set; or as {#initialize}
    def self.open(path, **options)
      raise Validation.failure("path", path, "the path of a file") if path.nil?

      index = new(path:, **options)
      return index unless block_given?

      begin
        yield index
      ensure
        index.close
      end
    end

    # @param store [DocStoreAdapter] a new {MemoryDocStore} when neither it nor `path` is given
    # @param path [String, #to_path, nil] a file that holds the documents, made when there is none: a {SqliteDocStore}
    #   (SQL-1)
    # @param embedding [Embedding, #call, nil] an {Embedding}, or a provider for one; nil: only full text is searched.
    #   Where it is not given, a file's own counts, as far as the file states it (SQL-1)
    # @param tokenizer [#tokenize, #call, nil] cuts documents and questions, or a function that does; the default
    #   {Tokenizer} when not given
    # @param synonyms [Synonyms, Hash, nil] widens questions, or a table word → word or list of words
    # @param term_weight [TermWeight, nil] weighs a question's terms
    # @param fields [Hash{String=>Float}, nil] field → boost: where questions look, in the place of those of the
    #   text leg (QRY-1, QRY-11)
    # @param title_weight [Float, nil] the share of the title in a document's vector (IDX-2)
    # @param any_vectors [Boolean] whether records' vectors are kept that no question finds: zero, or of another
    #   dimension than the embedding's (IDX-2)
    # @param max_question_length [Integer, nil] how many code points a question has at the most, 1 or more; nil: any
    #   number
    # @param max_results [Integer] the largest `limit` and number of `candidates` that count, at least 1 (CUR-1)
    # @param cursor_secret [String, nil] signs cursors; nil: they are not signed (CUR-3)
    # @param ranking_cache [RankingCache, nil] keeps rankings between the pages of a search (CUR-7); nil: each page
    #   ranks again
    # @param kernels [String, nil] "plain" or "fast", for what is not given; see {Kernels.choice}
    # @param observer [#instrument, #call, nil] told of each event (OBS-1), see {Observation#initialize}
    # @param options [Hash] defaults of {#search}; `profile` is "balanced" unless given, "ragflow" on a store whose text
    #   scores are not exact (RET-10)
    # @raise [InvalidInputError] an argument is not acceptable (ERR-3), unknown, or an embedding of another model or
    #   dimension than the store's vectors (DOC-7)
    def initialize(store: nil, path: nil, embedding: NOT_GIVEN, tokenizer: nil, synonyms: nil,
                   term_weight: nil, fields: nil, title_weight: nil, any_vectors: false,
                   max_question_length: QueryBuilder::MAX_QUESTION_LENGTH, max_results: 1024, cursor_secret: nil,
                   ranking_cache: nil, kernels: nil, observer: HybridSearch.observer, **options)
      Validation.known("option", options.keys, OPTIONS)
      tokenizer = Tokenizer.new(segmenter: Segmenter.new(kernels:)) if tokenizer.nil?
      tokenizer = Text::FunctionTokenizer.accept("tokenizer", tokenizer)
      term_weight = Kernels.kernel("term_weight", kernels).new(tokenizer:) if term_weight.nil?
      chosen = NOT_GIVEN.equal?(embedding) ? nil : Embeddings::Source.accept("embedding", embedding)
      raise InvalidInputError, "store and path exclude each other" unless path.nil? || store.nil?

      query_builder = QueryBuilder.new(tokenizer:, term_weight:, synonyms:, fields:, max_question_length:)
      @observation = Observation.new(observer)
      title_weight = Validation.number("title_weight", title_weight, 0.0, 1.0) unless title_weight.nil?
      Validation.boolean("any_vectors", any_vectors)
      settings = Searching::SearchSettings.of(max_results, cursor_secret, ranking_cache, options)
      @searcher_of = lambda do |documents, own|
        Searching::Searcher.new(documents, query_builder, own, settings, kernels, any_vectors, @observation)
      end
      @writer_of = lambda do |documents, own|
        builder = DocumentBuilder.new(tokenizer:, embedding: own, title_weight:, any_vectors:, observer: @observation)
        Records::RecordWriter.new(documents, builder, own, @observation, any_vectors:)
      end
      store = @file = SqliteDocStore.new(path, kernels:) unless path.nil?
      @store = Storing::Source.accept("store", store.nil? ? MemoryDocStore.new(kernels:) : store)
      @searcher = closing_on_failure do
        chosen = Storing::FileEmbedding.choice_of(@file)&.embedding if @file && NOT_GIVEN.equal?(embedding)
        @searcher_of.call(@store, chosen)
      end
      @writer = @writer_of.call(@store, chosen)
      @embedding = chosen
      @path = path && (path.respond_to?(:to_path) ? path.to_path : path)
    end

    # Close the file, if the index was given a path; a store that it was given stays as it is.
    #
    # @return [void]
    def close
      @file&.close
    end

    # Add documents, batch by batch; a batch is stored whole or not at all.
    #
    # @param records [Enumerable<Hash>] see {DocumentBuilder}; may be read from a stream
    # @param batch_size [Integer] records embedded and stored at once, at least 1
    # @param progress [#call, nil] called after each batch with how many are stored, and how many there are in all
    #   (-1: not known)
    # @return [Integer] how many were added
    # @raise [InvalidInputError] a record is not acceptable, or its id is in the store already; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def add(records, batch_size: 256, progress: nil, **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.add(records, batch_size, progress)
    end

    # Change stored documents, batch by batch (IDX-5).
    #
    # What a key makes is made anew, tokens and vectors too; the rest of a document stays as it is. Nothing is embedded
    # where the texts of a vector stay the same.
    #
    # @param records [Enumerable<Hash>] each an `id` and the keys that change; nil removes a key
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] called after each batch with how many are done, and how many there are in all (-1:
    #   not known)
    # @return [Integer] how many documents have changed; one that is the same afterwards does not count
    # @raise [InvalidInputError] a record is not acceptable, its id is not in the store, or is twice in a batch; or it
    #   changes the text of a vector without giving another, and there is no embedding; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def update(records, batch_size: 256, progress: nil, **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.update(records, batch_size, progress)
    end

    # Add documents, or replace stored ones as a whole, batch by batch (IDX-5).
    #
    # @param records [Enumerable<Hash>] as for {#add}
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] as for {#update}
    # @return [Integer] how many were added or changed; one that is stored already as it is given does not count
    # @raise [InvalidInputError] a record is not acceptable, or its id is twice in a batch; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def upsert(records, batch_size: 256, progress: nil, **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.upsert(records, batch_size, progress)
    end

    # Remove documents by their ids, or all that pass filters; ids that are not there are skipped.
    #
    # @param ids [Array<String, Symbol, Integer>, String, Symbol, Integer, nil] ids, or one id
    # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` are removed
    #   too. Batch by batch
    # @param unknown [Hash] refused
    # @return [Integer] the number of documents that were removed
    # @raise [InvalidInputError] neither ids nor filters, or both; filters without a condition ({#clear} removes all)
    def delete(ids = nil, filters: nil, **unknown)
      Validation.known("option", unknown.keys, ["filters"])
      raise InvalidInputError, "delete takes either ids or filters" if ids.nil? == filters.nil?

      if ids.nil?
        chosen = Records::Selection.read(filters, may_be_empty: false)
        return Records::Selection.delete(@store, @writer, chosen)
      end

      several = [::String, ::Symbol, ::Integer].any? { |type| type === ids } ? [ids] : ids # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
      @writer.delete(OwnValues.identifiers("ids", several))
    end

    # Remove all documents, batch by batch.
    #
    # @return [Integer] the number of documents that were removed
    def clear
      Records::Selection.delete(@store, @writer, {})
    end

    # Replace all documents of an index file by others, at once.
    #
    # Until the last record is stored, searches see the documents as they were, in every process, and writers wait; then
    # all of them see the new ones. Where a record is refused, or the process is killed, nothing has changed.
    #
    # @param records [Enumerable<Hash>] as for {#add}; an id may be there once
    # @param embedding [Embedding, Object, nil] makes the vectors from now on, another one or the same; that of the
    #   index when not given. Other processes that search with the one before must open the file again.
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] as for {#add}
    # @return [Integer] the number of documents
    # @raise [InvalidInputError] the documents are not in an index file, or a record is not acceptable
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
    # @raise [DocStoreError] another process is writing, or the disk is full
    def rebuild(records, embedding: nil, batch_size: 256, progress: nil, **unknown)
      Validation.known("option", unknown.keys, ["embedding", *Records::RecordWriter::OPTIONS])
      store = index_file("rebuilt")
      accepted = embedding.nil? ? @embedding : Embeddings::Source.accept("embedding", embedding)
      count = store.rebuilding { |fresh| @writer_of.call(fresh, accepted).add(records, batch_size, progress) }
      unless accepted.equal?(@embedding)
        @searcher = @searcher_of.call(@store, accepted)
        @writer = @writer_of.call(@store, accepted)
        @embedding = accepted
      end
      count
    end

    # Read an index file whole.
    #
    # @return [Array<String>] what is wrong with it, in sentences; empty where nothing is
    # @raise [InvalidInputError] the documents are not in an index file
    # @raise [DocStoreError] the file cannot be read
    def check
      index_file("checked").check
    end

    # The record of a document, in the words in which it was added.
    #
    # @param id [String, Symbol, Integer] its id
    # @param include [Array<String>] "vector" and "tokens", what the record has besides
    # @param unknown [Hash] refused
    # @return [Hash{String=>Object}, nil] nil if there is none
    def get(id, include: [], **unknown)
      get_many([OwnValues.identifier("id", id)], include:, **unknown)[0]
    end

    # @param ids [Array<String, Symbol, Integer>]
    # @param include [Array<String>] as for {#get}
    # @param unknown [Hash] refused
    # @return [Array<Hash{String=>Object}, nil>] the records of documents in the order of `ids`, nil for each that is
    #   not there; see {#get}
    def get_many(ids, include: [], **unknown)
      Validation.known("option", unknown.keys, ["include"])
      names = Searching::SearchRequest.included(include)
      documents = @store.get_many(OwnValues.identifiers("ids", ids), names.include?("vector") ? nil : [])
      documents.map { |document| document && Records::RecordOf.record(document, names) }
    end

    # @param id [String, Symbol, Integer]
    # @return [Boolean] whether a document is there
    def exists?(id)
      !@store.get_many([OwnValues.identifier("id", id)], [])[0].nil?
    end

    # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` count too
    # @param unknown [Hash] refused
    # @return [Integer] the number of documents, or of those that pass filters
    def count(filters: nil, **unknown)
      Validation.known("option", unknown.keys, ["filters"])
      filters.nil? ? @store.count : Records::Selection.count(@store, Records::Selection.read(filters))
    end

    # @return [Integer] the number of documents
    def size
      count
    end
    alias length size

    # @return [Hash{String=>Object}] what is in the index, in plain data; see {DocStoreAdapter#stats}
    def stats
      @store.stats
    end

    # search:begin: made by `bin/conformance make options`

    # One page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).
    #
    # All candidates are in one order; both ways lead through it. Options that are not given are those of the index.
    #
    # @param question [String] any text; a blank one finds nothing, unless there is a `vector` or `match_all`
    # @param vector [Array<Float>, nil] a vector whose nearest documents are found; with a question both legs are given,
    #   without one this leg alone; default `nil`
    # @param limit [Integer] the number of hits on a page, at least 1; at most `max_results`; default `10`
    # @param page [Integer, String, nil] the number of the page, from 1; not set, or not a number of 1 or more: the
    #   first page; default `nil`
    # @param cursor [String, nil] the `next_cursor` of the page before, instead of a page number; default `nil`
    # @param candidates [Integer] the number of candidates that each leg, and their fusion, returns: at most this many
    #   documents are ranked, at least 1; at most `max_results`; default `1024`
    # @param min_score [Float] the lowest score of a hit; scores are relative to the best candidate; default `0.0`
    # @param min_cosine [Float, nil] the lowest cosine of question and document of a hit, -1 to 1; documents without a
    #   vector are not shown; default `nil`
    # @param vector_similarity_weight [Float] the share of the vector in the similarity of a rerank, 0 to 1; the rest is
    #   the text's; default `0.3`
    # @param rerank_model [#similarity, #call, nil] an object with `similarity(query, texts)`, or a callable, that
    #   scores the first `rerank_top_k` candidates; default `nil`
    # @param rank_feature [Hash{String=>Float}, nil] tags of the query, name → number, to meet the documents' tags in a
    #   rerank; default `nil`
    # @param filters [Hash{String=>Object}, nil] which documents count at all, as data: `{"metadata.lang": "zh",
    #   "page_rank": {"gte": 2}}`; default `nil`
    # @param order_by [Array<Array(String, String)>, nil] `[name, "asc" or "desc"]` pairs that order the candidates in
    #   the place of their similarity; default `nil`
    # @param match_all [Boolean] whether all documents within the filters are shown, without a question; default `false`
    # @param highlight [Boolean] whether hits carry their content with the matches in `<em>`; default `false`
    # @param facets [Array<String>, nil] names whose values are counted over all hits, on every page; default `nil`
    # @param facet_limit [Integer] how many values a facet shows at the most, 1 to 10000; default `100`
    # @param explain [Boolean] whether the result carries every part of every score; default `false`
    # @param include [Array<String>, String] what hits carry besides: "vector", "tokens"; default `[]`
    # @param profile [String, Symbol] the defaults of `text_leg`, `fusion`, `ranking` and `min_score` under one name:
    #   "balanced" (the default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks); default `"balanced"`
    # @param text_leg [String, Symbol] the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's
    #   tokens in all fields at once); default `"bm25f"`
    # @param fusion [String, Symbol] the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto"
    #   or "min_max"; default `"auto"`
    # @param weights [String] the weights of the text and the dense leg in a weighted sum, "t,d"; default `"0.05,0.95"`
    # @param rrf_k [Float] k of reciprocal rank fusion, at least 0; default `60`
    # @param ranking [String, Symbol] the order of the candidates: "rerank" (reranked by tokens and vectors) or "fused"
    #   (the order of their fusion); default `"fused"`
    # @param fail_open [Boolean] whether a failing rerank model is a warning (true) or an error; default `true`
    # @param rerank_timeout [Float] seconds a rerank model may take; default `30.0`
    # @param on_index_change [String, Symbol] what a walk does after the index has changed since its first page:
    #   "continue" (it goes on) or "error" (it fails with an `InvalidCursorError`); default `"continue"`
    # @param rerank_top_k [Integer] how many of the best candidates the rerank model is asked for, at least 0; default
    #   `64`
    # @param rerank_fusion [String, Symbol] the score of a result that the rerank model has scored: "replace" (the
    #   model's score) or "linear" (a weighted sum of the model's score and the similarity); default `"replace"`
    # @param rerank_weight [Float] the model's share where both count, 0 to 1; default `0.8`
    # @param rerank_batch_size [Integer, nil] how many texts the model gets at once, at least 1; none: all; default
    #   `nil`
    # @param unknown [Hash] refused, with the nearest name
    # @return [Page]
    # @raise [InvalidInputError] an option is unknown or not accepted, or the question is too long
    # @raise [InvalidCursorError] the cursor is malformed, of another version, forged, or of another request
    # @raise [EmbeddingError] the embedding failed
    # @raise [RerankError] the rerank model failed and `fail_open` is false
    def search(question = "", vector: NOT_GIVEN, limit: NOT_GIVEN, page: NOT_GIVEN, cursor: NOT_GIVEN,
               candidates: NOT_GIVEN, min_score: NOT_GIVEN, min_cosine: NOT_GIVEN, vector_similarity_weight: NOT_GIVEN,
               rerank_model: NOT_GIVEN, rank_feature: NOT_GIVEN, filters: NOT_GIVEN, order_by: NOT_GIVEN,
               match_all: NOT_GIVEN, highlight: NOT_GIVEN, facets: NOT_GIVEN, facet_limit: NOT_GIVEN,
               explain: NOT_GIVEN, include: NOT_GIVEN, profile: NOT_GIVEN, text_leg: NOT_GIVEN, fusion: NOT_GIVEN,
               weights: NOT_GIVEN, rrf_k: NOT_GIVEN, ranking: NOT_GIVEN, fail_open: NOT_GIVEN,
               rerank_timeout: NOT_GIVEN, on_index_change: NOT_GIVEN, rerank_top_k: NOT_GIVEN, rerank_fusion: NOT_GIVEN,
               rerank_weight: NOT_GIVEN, rerank_batch_size: NOT_GIVEN, **unknown)
      Validation.known("option", unknown.keys, Searching::SearchOptions::DEFAULTS.keys)
      options = {
        vector:, limit:, page:, cursor:, candidates:, min_score:, min_cosine:, vector_similarity_weight:, rerank_model:,
        rank_feature:, filters:, order_by:, match_all:, highlight:, facets:, facet_limit:, explain:, include:, profile:,
        text_leg:, fusion:, weights:, rrf_k:, ranking:, fail_open:, rerank_timeout:, on_index_change:, rerank_top_k:,
        rerank_fusion:, rerank_weight:, rerank_batch_size:, **unknown
      }
      @searcher.page(question, Embeddings::Source.given(options))
    end

    # search:end

    # @param questions [Enumerable<String>]
    # @param options [Hash] as for {#search}
    # @return [Array<Page>] the first page of each question
    def search_many(questions, **options)
      list_of_questions(questions).map { |question| search(question, **options) }
    end

    # The documents that are most similar to a stored one, without it. They are found by its vector, or by its text
    # where it has none.
    #
    # @param id [String, Symbol, Integer] its id
    # @param options [Hash] as for {#search}, but for `vector`
    # @return [Page]
    # @raise [InvalidInputError] there is no such document; or as {#search}
    def similar(id, **options)
      question, added = Searching::Similar.similar_search(@store, OwnValues.identifier("id", id), options)
      search(question, **added)
    end

    # All hits one after another: those of all pages from the first or from `cursor` on, ranked once.
    #
    # A question has at most `candidates` hits; with `match_all` all documents are read, in bounded memory.
    #
    # @param question [String] as for {#search}
    # @param options [Hash] as for {#search}
    # @yieldparam hit [Hit]
    # @return [Enumerator<Hit>, nil] an enumerator without a block
    def each(question = "", **options, &)
      Validation.known("option", options.keys, Searching::SearchOptions::DEFAULTS.keys)
      @searcher.each(question, options, &)
    end

    # @return [RankingCache, nil] where rankings are kept between pages
    def ranking_cache
      @searcher.ranking_cache
    end

    # @return [String] one short line
    def inspect
      name = @path && " #{@path}"
      documents = @store.count.to_s.gsub(/(?<=\d)(?=(?:\d{3})+\z)/, ",")
      model = @embedding.nil? ? "no vectors" : @embedding.model
      "#<#{self.class}#{name}: #{documents} documents, #{model.empty? ? "a model without a name" : model}>"
    end

    private

    def index_file(what)
      return @store if @store.is_a?(SqliteDocStore)

      raise InvalidInputError, "only an index file can be #{what}: open the index with a path"
    end

    # The questions as a list; one text is none.
    def list_of_questions(questions)
      unless ::Enumerable === questions && !questions.is_a?(::Hash) # rubocop:disable Style/CaseEquality -- as above
        raise Validation.failure("questions", questions, "a list of texts")
      end

      questions.to_a
    end

    def closing_on_failure
      done = false
      yield.tap { done = true }
    ensure
      close unless done
    end
  end
end
