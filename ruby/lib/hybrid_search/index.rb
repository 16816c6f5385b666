# frozen_string_literal: true

module HybridSearch
  # The front door: records in, hits out (IDX-3, IDX-6).
  #
  #   index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new)
  #   index.add([{ id: "1", content: "MISRA C++ rule 6-2-1: no assignment in sub-expressions" }])
  #   index.search("rule 6-2-1").each { |hit| puts hit.score, hit.content }
  class Index
    include ShortInspect
    include Records::IndexDocuments
    include Searching::IndexSearches

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
    # @param records [Enumerable<Hash>, Hash] a list or a stream of records, or one record; see {DocumentBuilder} for
    #   the keys of a record
    # @param batch_size [Integer] records embedded and stored at once, at least 1
    # @param progress [#call, nil] called after each batch with how many are stored, and how many there are in all
    #   (-1: not known)
    # @param other_keys [String, Symbol] what becomes of keys that no record has: "refuse" is an error, "metadata" moves
    #   them there, "drop" drops them
    # @return [Integer] how many were added
    # @raise [InvalidInputError] a record is not acceptable, or its id is in the store already; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def add(records, batch_size: 256, progress: nil, other_keys: "refuse", **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.add(records, batch_size, progress, other_keys)
    end

    # Change stored documents, batch by batch (IDX-5).
    #
    # What a key makes is made anew, tokens and vectors too; the rest of a document stays as it is. Nothing is embedded
    # where the texts of a vector stay the same.
    #
    # @param records [Enumerable<Hash>, Hash] each an `id` and the keys that change; nil removes a key
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] called after each batch with how many are done, and how many there are in all (-1:
    #   not known)
    # @param other_keys [String, Symbol] as for {#add}
    # @return [Integer] how many documents have changed; one that is the same afterwards does not count
    # @raise [InvalidInputError] a record is not acceptable, its id is not in the store, or is twice in a batch; or it
    #   changes the text of a vector without giving another, and there is no embedding; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def update(records, batch_size: 256, progress: nil, other_keys: "refuse", **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.update(records, batch_size, progress, other_keys)
    end

    # Add documents, or replace stored ones as a whole, batch by batch (IDX-5).
    #
    # @param records [Enumerable<Hash>, Hash] as for {#add}
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] as for {#update}
    # @param other_keys [String, Symbol] as for {#add}
    # @return [Integer] how many were added or changed; one that is stored already as it is given does not count
    # @raise [InvalidInputError] a record is not acceptable, or its id is twice in a batch; earlier batches stay
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's; likewise
    def upsert(records, batch_size: 256, progress: nil, other_keys: "refuse", **unknown)
      Validation.known("option", unknown.keys, Records::RecordWriter::OPTIONS)
      @writer.upsert(records, batch_size, progress, other_keys)
    end

    # Replace all documents of an index file by others, at once.
    #
    # Until the last record is stored, searches see the documents as they were, in every process, and writers wait; then
    # all of them see the new ones. Where a record is refused, or the process is killed, nothing has changed.
    #
    # @param records [Enumerable<Hash>, Hash] as for {#add}; an id may be there once
    # @param embedding [Embedding, Object, nil] makes the vectors from now on, another one or the same; that of the
    #   index when not given. Other processes that search with the one before must open the file again.
    # @param batch_size [Integer] as for {#add}
    # @param progress [#call, nil] as for {#add}
    # @param other_keys [String, Symbol] as for {#add}
    # @return [Integer] the number of documents
    # @raise [InvalidInputError] the documents are not in an index file, or a record is not acceptable
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
    # @raise [DocStoreError] another process is writing, or the disk is full
    def rebuild(records, embedding: nil, batch_size: 256, progress: nil, other_keys: "refuse", **unknown)
      Validation.known("option", unknown.keys, ["embedding", *Records::RecordWriter::OPTIONS])
      store = index_file("rebuilt")
      accepted = embedding.nil? ? @embedding : Embeddings::Source.accept("embedding", embedding)
      count = store.rebuilding do |fresh|
        @writer_of.call(fresh, accepted).add(records, batch_size, progress, other_keys)
      end
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

    # @return [Integer] the number of documents
    def size
      count
    end
    alias length size

    # @return [Hash{String=>Object}] what is in the index, in plain data; see {DocStoreAdapter#stats}
    def stats
      @store.stats
    end

    # @return [String] one short line
    def inspect
      name = @path && " #{@path}"
      model = @embedding.nil? ? "no vectors" : @embedding.model
      "#<#{self.class}#{name}: #{shown_count}, #{model.empty? ? "a model without a name" : model}>"
    end

    private

    def shown_count
      "#{@store.count.to_s.gsub(/(?<=\d)(?=(?:\d{3})+\z)/, ",")} documents"
    rescue Error # the file is closed, the server is away
      "documents that cannot be read"
    end

    def index_file(what)
      return @store if @store.is_a?(SqliteDocStore)

      raise InvalidInputError, "only an index file can be #{what}: open the index with a path"
    end

    def closing_on_failure
      done = false
      yield.tap { done = true }
    ensure
      close unless done
    end
  end
end
