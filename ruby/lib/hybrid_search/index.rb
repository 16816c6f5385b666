# frozen_string_literal: true

module HybridSearch
  # The index: add records and search them (IDX-3, IDX-6).
  #
  #   index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new)
  #   index.add([{ id: "1", content: "MISRA C++ rule 6-2-1: no assignment in sub-expressions" }])
  #   index.search("rule 6-2-1").each { |hit| puts hit.score, hit.content }
  class Index
    include Base::ShortInspect
    include Readers::IndexAdditions
    include Records::IndexDocuments
    include Search::IndexSearches
    include Search::IndexTags
    include Base::KnownNames
    extend Base::KnownNames

    OPTIONS = %w[
      store path embedding tokenizer synonyms term_weight fields title_weight any_vectors max_question_length
      max_results cursor_secret ranking_cache kernels observer
    ].concat(Search::SearchSettings::OPTIONS).freeze
    NOT_GIVEN = Embeddings::NOT_GIVEN
    private_constant :NOT_GIVEN

    # @return [DocStoreAdapter] the store of the documents
    attr_reader :store

    # Return an index whose documents are in a file: `new(path:, **options)` with a required path. With a block the
    # index is closed after it.
    #
    # @param path [String, #to_path] the path of the file; a missing file is created
    # @param options [Hash] see {#initialize}
    # @yieldparam index [Index]
    # @return [Index, Object] the index, or the value of the block
    # @raise [InvalidInputError] `path` is nil or empty, for example from an unset environment variable; or as
    #   {#initialize}
    def self.open(path = NOT_GIVEN, *more, **options)
      path = Base::Validation.argument("open", "path", [path, *more], options, OPTIONS, passed_on: true)
      raise Base::Validation.failure("path", path, "the path of a file") if path.nil?

      index = new(path:, **options)
      return index unless block_given?

      begin
        yield index
      ensure
        index.close
      end
    end

    # Return an index with the documents of a collection in the form of BEIR; see {BeirCollection}. Documents that an
    # index file has under the same ids are replaced.
    #
    # @param folder [String, #to_path] the path of the folder, which has a `corpus.jsonl` or `corpus.jsonl.gz`
    # @param options [Hash] see {#initialize}
    # @return [Index]
    # @raise [InvalidInputError] the folder has no corpus, or a document is not accepted; or as {#initialize}
    def self.from_beir(folder = NOT_GIVEN, *more, **options)
      folder = Base::Validation.argument("from_beir", "folder", [folder, *more], options, OPTIONS, passed_on: true)
      records = BeirCollection.new(folder).records
      index = new(**options)
      index.send(:closing_on_failure) { index.upsert(records) }
      index
    end

    # @param store [DocStoreAdapter] the store of the documents; without `store` and `path` a new {MemoryDocStore}
    # @param path [String, #to_path, nil] the file of the documents, a {SqliteDocStore} (SQL-1); a missing file is
    #   created
    # @param embedding [Embedding, #call, String, nil] an {Embedding}, a provider for one, or the name of a model such
    #   as "openai/text-embedding-3-small" (EMB-4), which a file keeps. If it is not given, a file's own embedder is
    #   used, as far as the file states it (SQL-1). nil disables embedding: only full text is searched
    # @param tokenizer [#tokenize, #call, nil] tokenizes documents and questions, or a function that does; default: a
    #   {Tokenizer}
    # @param synonyms [Synonyms, Hash, nil] widens questions, or a table from a word to a word or a list of words
    # @param term_weight [TermWeight, nil] weighs a question's terms
    # @param fields [Hash{String=>Float}, nil] field → boost: the fields to search, instead of those of the text leg
    #   (QRY-1, QRY-11)
    # @param title_weight [Float, nil] the share of the title in a document's vector (IDX-2)
    # @param any_vectors [Boolean] whether to store vectors of records that no question can find: zero, or of another
    #   dimension than the embedding's (IDX-2)
    # @param max_question_length [Integer, nil] the maximum number of code points in a question, at least 1; nil sets no
    #   limit
    # @param max_results [Integer] the cap on `limit` and `candidates`, at least 1 (CUR-1)
    # @param cursor_secret [String, nil] the key that signs cursors; without it they are not signed (CUR-3)
    # @param ranking_cache [RankingCache, nil] caches rankings between the pages of a search (CUR-7); without it each
    #   page ranks again
    # @param kernels [String, nil] "plain" or "fast", for the parts that are not given; see {Base::Kernels.choice}
    # @param observer [#instrument, #call, nil] receives each event (OBS-1), see {Base::Observation#initialize}
    # @param options [Hash] defaults of {#search}; the default of `profile` is "balanced", or "ragflow" on a store that
    #   does not support bags of tokens (RET-10)
    # @raise [InvalidInputError] an argument is not accepted (ERR-3) or unknown, or the model or dimension of the
    #   embedding differs from those of the store's vectors (DOC-7)
    def initialize(*more, store: nil, path: nil, embedding: NOT_GIVEN, tokenizer: nil, synonyms: nil,
                   term_weight: nil, fields: nil, title_weight: nil, any_vectors: false,
                   max_question_length: QueryBuilder::MAX_QUESTION_LENGTH, max_results: 1024, cursor_secret: nil,
                   ranking_cache: nil, kernels: nil, observer: HybridSearch.observer, **options)
      Base::Validation.no_argument("Index", more, options, OPTIONS, passed_on: true)
      tokenizer = Tokenizer.new(segmenter: Segmenter.new(kernels:)) if tokenizer.nil?
      tokenizer = Text::FunctionTokenizer.accept("tokenizer", tokenizer)
      term_weight = Base::Kernels.kernel("term_weight", kernels).new(tokenizer:) if term_weight.nil?
      chosen = NOT_GIVEN.equal?(embedding) ? nil : Embeddings::EmbeddingArgument.accept("embedding", embedding)
      raise InvalidInputError, "store and path exclude each other" unless path.nil? || store.nil?

      query_builder = QueryBuilder.new(tokenizer:, term_weight:, synonyms:, fields:, max_question_length:)
      @query_builder = query_builder
      @observation = Base::Observation.new(observer)
      title_weight = Base::Validation.number("title_weight", title_weight, 0.0, 1.0) unless title_weight.nil?
      Base::Validation.boolean("any_vectors", any_vectors)
      settings = Search::SearchSettings.of(max_results, cursor_secret, ranking_cache, options)
      @searcher_of = lambda do |documents, own|
        Search::Searcher.new(documents, query_builder, own, settings, kernels, any_vectors, @observation)
      end
      @writer_of = lambda do |documents, own|
        builder = DocumentBuilder.new(tokenizer:, embedding: own, title_weight:, any_vectors:, observer: @observation)
        Records::RecordWriter.new(documents, builder, own, @observation, any_vectors:)
      end
      store = @file = SqliteDocStore.new(path, kernels:) unless path.nil?
      @store = Stores::StoreArgument.accept("store", store.nil? ? MemoryDocStore.new(kernels:) : store)
      @searcher = closing_on_failure do
        if @file && NOT_GIVEN.equal?(embedding)
          chosen = Embedding.chosen(Stores::Sqlite::FileEmbedding.choice_of(@file))
        elsif @file
          Stores::Sqlite::FileEmbedding.keep(@file, embedding, chosen, any_vectors)
        end
        @searcher_of.call(@store, chosen)
      end
      @writer = @writer_of.call(@store, chosen)
      @tagger = Search::Tagger.new(@store, query_builder)
      @tag_filters = settings.options["filters"]
      @embedding = chosen
      @path = path && (path.respond_to?(:to_path) ? path.to_path : path)
    end

    # Close the file of an index with a path; a store that the caller passed stays open.
    #
    # @return [void]
    def close
      @file&.close
    end

    # Add documents, batch by batch; a batch is stored as a whole or not at all.
    #
    # @param records [Enumerable<Hash>, Hash] a list or a stream of records, or one record; see {DocumentBuilder} for
    #   the keys of a record
    # @param batch_size [Integer, nil] the number of records to embed and store at once, at least 1; nil: 2,048, less if
    #   their contents are long, and 256 that a model must embed (IDX-3)
    # @param progress [#call, nil] called after each batch with the number of stored records and their total (-1: not
    #   known)
    # @param other_keys [String, Symbol] what to do with keys that records do not have: "refuse" raises an error,
    #   "metadata" moves them there, "drop" drops them
    # @param workers [Integer] the number of processes that cut texts into tokens, 1 to 256; 1 is this process alone.
    #   The result is the same with any number; as many batches as processes are read in advance (IDX-7)
    # @param record [Hash] one record without braces, instead of `records`: `add(id: 1, content: "red")`
    # @return [Integer] the number of added documents
    # @raise [InvalidInputError] a record is not accepted, or its id is already in the store; earlier batches stay
    #   stored
    # @raise [DimensionMismatchError] the dimension of a vector differs from the embedding's; earlier batches stay
    #   stored
    def add(records = NOT_GIVEN, *more, batch_size: nil, progress: nil, other_keys: "refuse", workers: 1, **record)
      @writer.add(records("add", [records, *more], record), batch_size, progress, other_keys, workers)
    end

    # Change stored documents, batch by batch (IDX-5).
    #
    # Everything that depends on a given key is computed again, including tokens and vectors; the rest of a document
    # stays unchanged. A vector whose texts do not change is not computed again.
    #
    # @param records [Enumerable<Hash>, Hash] each an `id` and the keys that change; nil removes a key
    # @param batch_size [Integer, nil] as for {#add}
    # @param progress [#call, nil] called after each batch with the number of processed records and their total (-1: not
    #   known)
    # @param other_keys [String, Symbol] as for {#add}
    # @return [Integer] the number of documents that really changed
    # @raise [InvalidInputError] a record is not accepted, its id is not in the store, or occurs twice in a batch; or it
    #   changes the text of a vector without a new vector, and there is no embedding; earlier batches stay stored
    # @raise [DimensionMismatchError] the dimension of a vector differs from the embedding's; earlier batches stay
    #   stored
    def update(records = NOT_GIVEN, *more, batch_size: nil, progress: nil, other_keys: "refuse", **record)
      records = records("update", [records, *more], record, Records::RecordWriter::UPDATE_OPTIONS)
      @writer.update(records, batch_size, progress, other_keys)
    end

    # Add documents, or replace stored ones as a whole, batch by batch (IDX-5).
    #
    # @param records [Enumerable<Hash>, Hash] as for {#add}
    # @param batch_size [Integer, nil] as for {#add}
    # @param progress [#call, nil] as for {#update}
    # @param other_keys [String, Symbol] as for {#add}
    # @param workers [Integer] as for {#add}
    # @return [Integer] the number of documents that were added or really changed
    # @raise [InvalidInputError] a record is not accepted, or its id occurs twice in a batch; earlier batches stay
    #   stored
    # @raise [DimensionMismatchError] the dimension of a vector differs from the embedding's; earlier batches stay
    #   stored
    def upsert(records = NOT_GIVEN, *more, batch_size: nil, progress: nil, other_keys: "refuse", workers: 1, **record)
      @writer.upsert(records("upsert", [records, *more], record), batch_size, progress, other_keys, workers)
    end

    # Replace all documents of an index file in one step.
    #
    # Until the last record is stored, searches in every process see the old documents, and writers wait; then all of
    # them see the new ones. If a record is refused, or the process is killed, nothing has changed.
    #
    # @param records [Enumerable<Hash>, Hash] as for {#add}; an id may occur only once
    # @param embedding [Embedding, Object, nil] the embedder from now on; default: that of the index. Other processes
    #   that search with the old one must open the file again.
    # @param batch_size [Integer, nil] as for {#add}
    # @param progress [#call, nil] as for {#add}
    # @param other_keys [String, Symbol] as for {#add}
    # @param workers [Integer] as for {#add}
    # @return [Integer] the number of documents
    # @raise [InvalidInputError] the documents are not in an index file, or a record is not accepted
    # @raise [DimensionMismatchError] the dimension of a vector differs from the embedding's
    # @raise [DocStoreError] another process is writing, or the disk is full
    def rebuild(records = NOT_GIVEN, *more, embedding: nil, batch_size: nil, progress: nil, other_keys: "refuse",
                workers: 1, **record)
      records = records("rebuild", [records, *more], record, ["embedding", *Records::RecordWriter::OPTIONS])
      store = index_file("rebuilt")
      accepted = embedding.nil? ? @embedding : Embeddings::EmbeddingArgument.accept("embedding", embedding)
      count = store.rebuilding do |fresh|
        @writer_of.call(fresh, accepted).add(records, batch_size, progress, other_keys, workers)
      end
      unless accepted.equal?(@embedding)
        @searcher = @searcher_of.call(@store, accepted)
        @writer = @writer_of.call(@store, accepted)
        @embedding = accepted
      end
      count
    end

    # Read a whole index file.
    #
    # @return [Array<String>] its damage in sentences; empty for a sound file
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

    # @return [Hash{String=>Object}] the statistics of the index, as plain data; see {DocStoreAdapter#stats}
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

    # Return the records of a call; keys without braces are those of one record.
    def records(call, places, record, options = Records::RecordWriter::OPTIONS)
      return record if NOT_GIVEN.equal?(places.first) && !record.empty? && !record.key?(:records)

      Base::Validation.argument(call, "records", places, record, options)
    end

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
