# frozen_string_literal: true

module HybridSearch
  # Stores whole rankings between the pages of a search (CUR-7): further pages call neither the store nor the model, and
  # follow the ranking of the first page.
  #
  # Passed to an {Index} as `ranking_cache`; several indexes may share one. When it is full, the least recently used
  # ranking is removed. Safe to use from several threads.
  class RankingCache
    include Base::ShortInspect

    # A stored ranking.
    Kept = Struct.new(:ranking, :counted, :until)
    OPTIONS = %w[max_entries max_bytes max_seconds clock].freeze
    PER_VALUE = 64
    CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    private_constant :Kept, :OPTIONS, :PER_VALUE, :CLOCK

    # @return [Integer] the number of rankings that were found
    attr_reader :hits
    # @return [Integer] the number of rankings that were requested but not found
    attr_reader :misses
    # @return [Integer] the size of the stored rankings in bytes
    attr_reader :bytes

    # @param max_entries [Integer] the maximum number of stored rankings, at least 1
    # @param max_bytes [Integer] the maximum size of their results in bytes, at least 1; the size is that of texts plus
    #   a share for each value
    # @param max_seconds [Float] the maximum age of a ranking in seconds, above 0
    # @param clock [#call] returns seconds, for tests
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(max_entries: 256, max_bytes: 67_108_864, max_seconds: 300.0, clock: CLOCK, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @max_entries = Base::Validation.integer("max_entries", max_entries, 1)
      @max_bytes = Base::Validation.integer("max_bytes", max_bytes, 1)
      @max_seconds = Base::Validation.number("max_seconds", max_seconds)
      raise Base::Validation.failure("max_seconds", max_seconds, "a number above 0") if @max_seconds <= 0.0

      @clock = clock
      @lock = Thread::Mutex.new
      @kept = {}
      @bytes = @hits = @misses = 0
    end

    # @return [Integer] the number of stored rankings
    def size
      @kept.size
    end

    # Forget all rankings; the counts of hits and misses stay.
    #
    # @return [void]
    def clear
      @lock.synchronize do
        @kept.clear
        @bytes = 0
      end
    end

    # @api private
    # @return [Search::Ranking, nil] the ranking of the first key that has one
    def fetch(keys)
      @lock.synchronize do
        expire
        key = keys.find { |one| @kept.key?(one) }
        if key.nil?
          @misses += 1
          next nil
        end
        @hits += 1
        kept = @kept[key] = @kept.delete(key)
        kept.ranking
      end
    end

    # Store a ranking, unless it is larger than the whole cache.
    #
    # @api private
    # @return [void]
    def keep(key, ranking)
      scores = ranking.scores
      keys = ranking.keys.map { |one| [one.values, *one.tiered] }
      size = bytes_of([keys, scores.bm25, scores.cosines, scores.reranked, scores.models, ranking.parts])
      size += bytes_of(ranking.arranged.counted) if ranking.arranged
      return if size > @max_bytes

      @lock.synchronize do
        forget(key)
        @kept[key] = Kept.new(ranking, size, @clock.call + @max_seconds)
        @bytes += size
        forget(@kept.first[0]) while @kept.size > @max_entries || @bytes > @max_bytes
      end
    end

    private

    def inspected
      { size:, bytes: }
    end

    # Return the size of plain data: its texts in UTF-8, and 64 bytes for each value and each key.
    def bytes_of(value)
      return PER_VALUE + value.bytesize if value.is_a?(::String)

      total = PER_VALUE
      case value
      when ::Hash then value.each { |name, item| total += bytes_of(name) + bytes_of(item) }
      when ::Array then value.each { |item| total += bytes_of(item) }
      end
      total
    end

    def expire
      now = @clock.call
      @kept.select { |_, kept| kept.until <= now }.each_key { |key| forget(key) }
    end

    def forget(key)
      kept = @kept.delete(key)
      @bytes -= kept.counted if kept
    end
  end
end
