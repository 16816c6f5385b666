# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  # A bounded LRU cache of keywords around an extractor: a document's keywords are the same for every query. Itself an
  # extractor, and safe to use from several threads.
  #
  # Texts are told apart by their SHA-256. Words should be added to the extractor before.
  class KeywordCache
    include Base::ShortInspect

    OPTIONS = %w[keyword_extractor capacity].freeze
    private_constant :OPTIONS

    # @param keyword_extractor [KeywordExtractor, nil] finds the keywords; the default one when not given
    # @param capacity [Integer] of how many texts the keywords are kept; at least 1
    # @raise [InvalidInputError] an argument is not acceptable, or unknown
    def initialize(keyword_extractor = nil, capacity: 4096, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @extractor = Text::KeywordSource.accept("keyword_extractor", keyword_extractor)
      @capacity = Base::Validation.integer("capacity", capacity, 1)
      @lock = Thread::Mutex.new
      @entries = {}
    end

    # @return [Integer] of how many texts the keywords are kept
    def size
      @entries.size
    end

    # The keywords of a text, see {KeywordExtractor#extract}.
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

    # Forget all keywords.
    #
    # @return [void]
    def clear
      @lock.synchronize { @entries.clear }
    end
  end
end
