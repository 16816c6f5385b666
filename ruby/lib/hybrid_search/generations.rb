# frozen_string_literal: true

require_relative "../hybrid_search"

module HybridSearch
  # An index that can be rebuilt while any number of processes use it: a collection has one *active* generation, which
  # is searched, and at times a *building* one next to it.
  #
  #   articles = HybridSearch::Generations.files("storage/articles", find: ->(ids) { records_of(ids) })
  #   articles.upsert([{ id: "7", title: "Sheds", content: "How to build a shed" }])
  #   articles.search("shed").each { |hit| puts hit.title }
  #   articles.reindex(all_records)   # searches and writes go on; then every process uses the new generation
  #
  # While a generation is built, each write is noted in a log before it is made, and the builder repeats the log. The
  # new generation therefore has every write when it becomes active. docs/reindexing.md has the protocol and its proof.
  # A change of the embedding's model, of its dimension, or of the way in which records are made needs a new generation;
  # {#status} reports it. Safe to use from several threads, and in forked children.
  class Generations
    include Base::ShortInspect

    autoload :Build, "hybrid_search/generations/build"
    autoload :Documents, "hybrid_search/generations/documents"
    autoload :FilePlace, "hybrid_search/generations/file_place"
    autoload :MemoryPlace, "hybrid_search/generations/memory_place"
    autoload :OpenIndexes, "hybrid_search/generations/open_indexes"
    autoload :PostgresPlace, "hybrid_search/generations/postgres_place"
    autoload :PostgresSessions, "hybrid_search/generations/postgres_sessions"
    autoload :Reading, "hybrid_search/generations/reading"
    autoload :Recipe, "hybrid_search/generations/recipe"
    autoload :State, "hybrid_search/generations/state"
    autoload :Status, "hybrid_search/generations/status"
    autoload :Waiting, "hybrid_search/generations/waiting"
    autoload :Writing, "hybrid_search/generations/writing"
    INTERNAL = %i[
      Build Documents FilePlace MemoryPlace OpenIndexes PostgresPlace PostgresSessions Reading Recipe State Waiting
      Writing
    ].freeze
    private_constant :INTERNAL, *INTERNAL

    include Reading
    include Writing

    # The options of {.files}, {.postgres} and {.memory} in addition to those of {Index#initialize}.
    OPTIONS = %w[embedding former_embeddings definition find timeout store refresh].freeze
    # The options of {Index#initialize} that a generation sets itself.
    OWN = %w[store path embedding].freeze
    LONGEST_TIMEOUT = 86_400.0
    private_constant :OPTIONS, :OWN, :LONGEST_TIMEOUT

    class << self
      # Return generations in the files of a directory, for the processes of one machine. Needs the gem sqlite3.
      #
      # @param directory [String, #to_path] the directory; it is created if it is missing
      # @param options [Hash] see {#initialize}
      # @return [Generations]
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def files(directory, **options)
        name = directory.respond_to?(:to_path) ? directory.to_path : directory
        if Base::Validation.text("directory", name).empty? || name.include?("\0")
          raise Base::Validation.failure("directory", name, "the path of a directory")
        end

        made(options) { |store, timeout, _| FilePlace.new(name, timeout, store) }
      end

      # Return generations in schemas of a PostgreSQL database, for any number of machines. Needs the gem pg.
      #
      # @param connection [String, ActiveRecord::ConnectionAdapters::ConnectionPool] a URL, another text that libpq
      #   accepts, or the pool of an application, which needs one connection more than it has threads
      # @param collection [String] the schema of the pointer and the log, up to 56 bytes; generations are in schemas of
      #   this name with a number
      # @param options [Hash] see {#initialize}
      # @return [Generations]
      # @raise [InvalidInputError] an option is unknown or not acceptable
      # @raise [ConfigurationError] the gem pg is not installed
      def postgres(connection, collection:, **options)
        made(options) do |store, timeout, refresh|
          PostgresPlace.new(connection, collection, timeout, refresh, store)
        end
      end

      # Return generations in the memory of this process.
      #
      # @param options [Hash] see {#initialize}
      # @return [Generations]
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def memory(**options)
        made(options) { |store, timeout, _| MemoryPlace.new(timeout, store) }
      end

      private

      def made(options)
        store = Base::Validation.mapping("store", options.fetch(:store, {})).transform_keys(&:to_sym)
        timeout = Base::Validation.number("timeout", options.fetch(:timeout, 30.0), 0.001, LONGEST_TIMEOUT)
        refresh = Base::Validation.number("refresh", options.fetch(:refresh, 1.0), 0, LONGEST_TIMEOUT)
        new(yield(store, timeout, refresh), **options.except(:store, :timeout, :refresh))
      end
    end

    private_class_method :new

    # @param place [FilePlace, PostgresPlace, MemoryPlace] the storage of the generations
    # @param embedding [Embedding, #call, nil] as for {Index#initialize}; makes the vectors of new generations
    # @param former_embeddings [Array<Embedding, #call>] earlier ones: a generation that one of them made is searched
    #   and written with it until the next one is active. If none fits, such a generation is searched by full text alone
    # @param definition [String, nil] a text that identifies the way in which records are made, such as a digest of the
    #   code
    # @param find [#call, nil] takes ids of documents and returns their current records in the caller's own data; a
    #   document without records is deleted
    # @param options [Hash] `timeout`: the number of seconds that a call waits for another writer (30.0); `store`:
    #   options of the store; `refresh`: the number of seconds after which readers read a pointer in PostgreSQL again
    #   (1.0). All others are those of {Index#initialize}
    # @raise [InvalidInputError] an option is unknown or not acceptable
    def initialize(place, embedding: nil, former_embeddings: [], definition: nil, find: nil, **options)
      known = Index::OPTIONS - OWN
      Base::Validation.known("option", options.keys, [*OPTIONS, *known])
      @embedding = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      unless former_embeddings.is_a?(::Array)
        raise Base::Validation.failure("former_embeddings", former_embeddings, "a list of embeddings")
      end

      @former = former_embeddings.each_with_index.map do |one, index|
        Embeddings::EmbeddingArgument.accept("former_embeddings[#{index}]", one)
      end
      @find = find
      raise Base::Validation.failure("find", find, "a callable") unless find.nil? || find.respond_to?(:call)

      @options = { tokenizer: nil, title_weight: nil, any_vectors: false, cursor_secret: nil,
                   observer: HybridSearch.observer, **options }
      @options[:tokenizer] = Tokenizer.new(segmenter: Segmenter.new(kernels: options[:kernels])) if tokenizer.nil?
      Base::Validation.text("definition", definition) unless definition.nil?
      @recipe = Recipe.of(definition, @embedding, @options[:title_weight])
      @place = place
      @indexes = OpenIndexes.new(place, method(:opened))
      Index.new(embedding: nil, **@options) # refuses options that are not acceptable
    end

    # Build a new generation from all records and, by default, promote it. Searches and writes of all processes continue
    # meanwhile. A build that was killed continues after the document that it copied last.
    #
    # Change your own data first and write to the index afterwards: the new generation contains everything that `source`
    # yields after the call begins, and everything that is written to the index after it begins.
    #
    # @param source [Enumerable<Hash>, #call] all records, in the same order each time, those of a document next to each
    #   other; or a callable that takes the id of a document, or nil, and returns the records of the documents after it,
    #   or all records
    # @param progress [#call, nil] called after each batch with the number of copied documents and `total`
    # @param total [Integer, nil] the number of documents, for `progress`; -1 if it is not known
    # @param batch_size [Integer] the number of documents to embed and store at once, at least 1
    # @param promote [Boolean] false: the generation stays next to the active one, and receives all writes, until
    #   {#promote}
    # @param reuse_vectors [Boolean] whether unchanged texts keep their vectors if the model is the same
    # @return [Status]
    # @raise [InvalidInputError] an option or a record is not acceptable
    # @raise [DocStoreError] another process is building, or a store failed
    # @raise [EmbeddingError] the embedding failed
    def reindex(source, progress: nil, total: nil, batch_size: 256, promote: true, reuse_vectors: true)
      Base::Validation.integer("batch_size", batch_size, 1)
      Base::Validation.boolean("promote", promote)
      Base::Validation.boolean("reuse_vectors", reuse_vectors)
      @place.building do
        build = Build.begun(self, @place, @recipe, @find, batch_size, reuse_vectors)
        build.copy(source, total, progress)
        build.promote if promote
      end
      status
    end

    # Activate the generation that `reindex(promote: false)` has built.
    #
    # @return [Status]
    # @raise [InvalidInputError] no generation is completely built
    # @raise [DocStoreError] another process is building, or a store failed
    def promote
      @place.building do
        build = Build.complete(self, @place, @find)
        raise InvalidInputError, "no generation is built to its end: call reindex" if build.nil?

        build.promote
      end
      status
    end

    # Remove the generation that is being built.
    #
    # @return [Boolean] whether there was one
    # @raise [DocStoreError] another process is building
    def abandon
      @place.building { Build.abandon(@place) }
    end

    # Remove generations that another has replaced.
    #
    # @param grace [Float] the number of seconds for which a generation stays after its replacement, for running
    #   searches
    # @return [Array<String>] the names of the removed generations
    # @raise [InvalidInputError] `grace` is not acceptable
    def clean(grace: 3600.0)
      Base::Validation.number("grace", grace, 0)
      @place.exclusively do
        state = @place.state
        next [] if state.nil?

        names = state.retired_before(Time.now.utc - grace)
        @indexes.forget(names)
        @place.state = state.without(names) unless names.empty?
        names.each { |name| @place.remove(name) }
      end
    end

    # @return [Status] the generations, and whether the active one was made in the way in which this process would make
    #   it
    def status
      state = @place.state || seen
      counts = state.generations.to_h { |name, _| [name, @indexes.use(name, state) { |index, _| index.count }] }
      dimension = @indexes.use(state.active, state) { |index| Recipe.dimension_of(index.store) }
      Status.of(state, counts, @recipe.differences(state.recipe(state.active), dimension), @place.progress)
    end

    # Close all files and connections that the library opened.
    #
    # @return [void]
    def close
      @indexes.close
      @place.close
    end

    # @api private
    # @param name [String] the name of a generation
    # @param state [State]
    # @yieldparam index [Index]
    # @yieldparam documents [Documents] writes to it
    # @return [Object] the value of the block
    def with(name, state, &)
      @indexes.use(name, state, &)
    end

    private

    def tokenizer
      @options[:tokenizer]
    end

    def inspected
      { place: @place.to_s }
    end

    # Return the index of a generation, and the object that writes to it.
    def opened(store, recipe)
      embedding = recipe.embedding_of([@embedding, *@former])
      if embedding.nil? && recipe.model
        Base::Log.warning("the generation was made by the model #{Base::Validation.describe(recipe.model)}, which is " \
                          "not here: full text alone is searched until the next one is active")
      end
      index = Index.new(**@options, store:, embedding:, cursor_secret: recipe.cursor_secret(@options[:cursor_secret]))
      [index, Documents.new(store, embedding, recipe, @options)]
    end
  end
end
