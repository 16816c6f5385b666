# frozen_string_literal: true

module HybridSearch
  module Search
    # The options of an index that apply to all searches: they are checked before anything is built from them (ERR-3).
    class SearchSettings
      include Base::ShortInspect

      # Every option that an index takes as a default.
      OPTIONS = (SearchOptions::DEFAULTS.keys - SearchOptions::ONCE).freeze

      # @return [Integer] the maximum of `limit` and of the number of candidates
      attr_reader :max_results
      # @return [CursorCodec] writes and reads cursors
      attr_reader :codec
      # @return [RankingCache, nil] the cache of rankings between pages
      attr_reader :ranking_cache
      # @return [Hash{String=>Object}] defaults of requests
      attr_reader :options

      # @param max_results [Integer]
      # @param cursor_secret [String, nil]
      # @param ranking_cache [RankingCache, nil]
      # @param options [Hash] defaults of requests; their names are known
      # @raise [InvalidInputError] an option is not acceptable
      # @return [SearchSettings] the checked options of an index's searches
      def self.of(max_results, cursor_secret, ranking_cache, options)
        unless ranking_cache.nil? || ranking_cache.is_a?(RankingCache)
          raise Base::Validation.failure("ranking_cache", ranking_cache, "a RankingCache")
        end

        codec = CursorCodec.new(cursor_secret)
        settings = new(Base::Validation.integer("max_results", max_results, 1), codec, ranking_cache, options)
        settings.request("", {}, true)
        settings
      end

      # @api private
      def initialize(max_results, codec, ranking_cache, options)
        @max_results = max_results
        @codec = codec
        @ranking_cache = ranking_cache
        @options = options.transform_keys(&:to_s).freeze
        @models = Rerankers::NamedModels.new
        freeze
      end

      # @param question [String]
      # @param options [Hash] options that override the defaults
      # @param supports_bm25f [Boolean] whether the store takes bags of tokens (DOC-8)
      # @return [SearchRequest] the request for a question
      def request(question, options, supports_bm25f)
        defaults = { "profile" => Retrievers::Profiles.of_index(supports_bm25f), **@options }
        given = { **defaults, **options.transform_keys(&:to_s) }
        given = @models.options(Retrievers::Profiles.for_store(given, supports_bm25f))
        SearchRequest.build(question, given, @max_results)
      end
    end
  end
end
