# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  # Caches the keywords of documents, since they are the same for every query: a bounded LRU cache around an extractor.
  # It is itself an extractor, and safe to share between threads.
  #
  # Texts are identified by their SHA-256. Words should be added to the extractor before the first call.
  class KeywordCache
    include Base::ShortInspect

    OPTIONS = %w[keyword_extractor capacity].freeze
    private_constant :OPTIONS

    # @param extractor [KeywordExtractor, nil] finds the keywords; default: a {KeywordExtractor}
    # @param keyword_extractor [KeywordExtractor, nil] the same by name
    # @param capacity [Integer] the maximum number of texts whose keywords are cached; at least 1
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    def initialize(extractor = nil, keyword_extractor: extractor, capacity: 4096, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @extractor = Text::KeywordSource.accept("keyword_extractor", keyword_extractor)
      @capacity = Base::Validation.integer("capacity", capacity, 1)
      @lock = Thread::Mutex.new
      @entries = {}
    end

    # @return [Integer] the number of texts whose keywords are cached
    def size
      @entries.size
    end

    # Return the keywords of a text, see {KeywordExtractor#extract}.
    #
    # @param text [String]
    # @param limit [Integer, nil]
    # @return [KeywordExtractor::Keywords]
    # @raise [InvalidInputError] an argument is not acceptable
    def extract(text, limit: 10, **unknown)
      Base::Validation.known("option", unknown.keys, %w[limit])
      Base::Validation.integer("limit", limit, 0) unless limit.nil?
      key = "#{limit} #{Digest::SHA256.digest(Base::Validation.text("text", text))}"
      kept = @lock.synchronize { @entries.key?(key) ? (@entries[key] = @entries.delete(key)) : nil }
      return kept if kept

      found = @extractor.extract(text, limit:)
      @lock.synchronize do
        @entries[key] = found
        @entries.shift while @entries.size > @capacity
      end
      found
    end

    # Remove all cached keywords.
    #
    # @return [void]
    def clear
      @lock.synchronize { @entries.clear }
    end
  end
end
