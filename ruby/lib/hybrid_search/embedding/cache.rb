# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  # A bounded LRU cache of checked vectors around any embedding provider (EMB-3); itself a provider.
  #
  # Entries are identified by model, kind (query or passage), dimension and SHA-256 of the text. Vectors are frozen.
  # Errors are not cached. The cache is safe to use from several threads: one caller at a time computes a key. Callers
  # that wait for it count as hits. If it fails, they compute the key themselves.
  class EmbeddingCache
    include Base::ShortInspect

    OPTIONS = %w[provider model dimension capacity].freeze
    private_constant :OPTIONS

    # @return [Integer] the number of vectors that were returned without a call of the provider
    attr_reader :hits
    # @return [Integer] the number of vectors for which the provider was called
    attr_reader :misses

    # @param provider [#call, #encode, #encode_queries] as for {Embedding}; an {Embedding} is one too
    # @param model [String, nil] as for {Embedding}
    # @param dimension [Integer, nil] as for {Embedding}
    # @param capacity [Integer] the maximum number of cached vectors, at least 1
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(provider, model: nil, dimension: nil, capacity: 1024, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @capacity = Base::Validation.integer("capacity", capacity, 1)
      @embedding = Embedding.new(provider, model:, dimension:)
      @key_dimension = @embedding.dimension
      @lock = Thread::Mutex.new
      @condition = Thread::ConditionVariable.new
      @entries = {}
      @underway = {}
      @hits = 0
      @misses = 0
    end

    # @return [String] the name of the model; may be empty
    def model
      @embedding.model
    end

    # @return [Integer, nil] the number of components of every vector; nil until it is known
    def dimension
      @embedding.dimension
    end

    # @return [Integer] the number of cached vectors
    def size
      @entries.size
    end

    # @param text [String] one query
    # @return [Array<Float>] its vector, frozen
    # @raise [InvalidInputError] `text` is not a text of valid UTF-8
    # @raise [EmbeddingError] the provider failed or returned an unusable vector
    def encode_queries(text)
      lookup("query", [Base::Validation.text("text", text)])[0]
    end

    # @param texts [Array<String>]
    # @return [Array<Array<Float>>] their vectors, in their order, frozen; the provider is called once, for missing ones
    # @raise [InvalidInputError] `texts` is not a list of texts of valid UTF-8
    # @raise [EmbeddingError] the provider failed, or returned another number of vectors or an unusable one
    def encode(texts)
      lookup("passage", Base::Validation.texts("texts", texts))
    end

    # Forget all vectors; the counts stay.
    #
    # @return [void]
    def clear
      @lock.synchronize { @entries.clear }
    end

    private

    def lookup(kind, texts)
      keys = texts.map { |text| key(kind, text) }
      found = {}
      missing = keys.zip(texts).to_h
      until missing.empty?
        mine = {}
        begin
          claim(missing, found, mine)
          found.update(compute(kind, mine)) unless mine.empty?
        ensure
          release(mine)
        end
        missing = missing.reject { |key, _| found.key?(key) }
        wait(missing)
      end
      @lock.synchronize { @hits += keys.size - found.size }
      keys.map { |key| found.fetch(key) }
    end

    # Put cached vectors into `found`, and the keys that nobody is computing into `mine`.
    def claim(missing, found, mine)
      @lock.synchronize do
        missing.each do |key, text|
          if @entries.key?(key)
            found[key] = @entries[key] = @entries.delete(key)
            @hits += 1
          elsif !underway?(key)
            mine[key] = text
            @underway[key] = Thread.current
            @misses += 1
          end
        end
      end
    end

    def compute(kind, mine)
      texts = mine.values
      vectors = kind == "query" ? [@embedding.encode_queries(texts[0])] : @embedding.encode(texts)
      computed = mine.keys.zip(vectors.map(&:freeze)).to_h
      @lock.synchronize do
        @entries.update(computed)
        @entries.shift while @entries.size > @capacity
      end
      computed
    end

    def release(mine)
      @lock.synchronize do
        mine.each_key { |key| @underway.delete(key) }
        @condition.broadcast
      end
    end

    # Wait until no other caller computes one of the keys.
    def wait(missing)
      @lock.synchronize do
        @condition.wait(@lock) while missing.each_key.any? { |key| underway?(key) }
      end
    end

    # Return whether another thread computes the key; the threads of a forked child's parent do not count.
    def underway?(key)
      owner = @underway[key]
      !owner.nil? && owner.alive? && owner != Thread.current
    end

    def key(kind, text)
      "#{@embedding.model}\0#{kind}\0#{@key_dimension}\0#{Digest::SHA256.hexdigest(text)}"
    end
  end
end
