# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # What a retriever is told once, for all questions: checked before anything is built of it (ERR-3).
    class RetrieverSettings
      include ShortInspect

      # Every option that a retriever takes as a default.
      OPTION_DEFAULTS = RetrievalOptions::DEFAULTS.merge(QueryOptions::DEFAULTS.except("cursor")).freeze
      SETTINGS = %w[max_page_size max_results cursor_secret ranking_cache kernels observer].freeze
      OPTIONS = [*SETTINGS, *OPTION_DEFAULTS.keys].freeze

      # @return [Integer] the largest page that may be asked for
      attr_reader :max_page_size
      # @return [Integer] the maximum number of results across all pages of a walk
      attr_reader :max_results
      # @return [CursorCodec] writes and reads cursors
      attr_reader :codec

      # @param max_page_size [Integer]
      # @param max_results [Integer]
      # @param cursor_secret [String, nil]
      # @param ranking_cache [RankingCache, nil]
      # @param options [Hash] defaults of requests
      # @raise [InvalidInputError] one is unknown or not acceptable
      def initialize(max_page_size:, max_results:, cursor_secret:, ranking_cache:, options:)
        Validation.known("option", options.keys, OPTIONS)
        unless ranking_cache.nil? || ranking_cache.is_a?(RankingCache)
          raise Validation.failure("ranking_cache", ranking_cache, "a RankingCache")
        end

        @max_page_size = Validation.integer("max_page_size", max_page_size, 1)
        @max_results = Validation.integer("max_results", max_results, 1)
        @codec = CursorCodec.new(cursor_secret)
        @options = options.transform_keys(&:to_s).freeze
        request("", {}, true)
        query_request("", {}, true)
        freeze
      end

      # @param question [String]
      # @param options [Hash] other options than the defaults
      # @param exact_text [Boolean] whether the store promises exact text scores (DOC-8)
      # @return [RetrievalRequest] the request for a question
      def request(question, options, exact_text)
        RetrievalRequest.build(question, given(RetrievalOptions::DEFAULTS, options, exact_text), @max_page_size)
      end

      # @param question [String]
      # @param options [Hash] other options than the defaults
      # @param exact_text [Boolean] as for {#request}
      # @return [QueryRequest] the request for a page of a walk
      def query_request(question, options, exact_text)
        QueryRequest.build(question, given(QueryOptions::DEFAULTS, options, exact_text), @max_results)
      end

      private

      # The options of a call, and those defaults that the method knows and the call does not give.
      def given(known, options, exact_text)
        Profiles.for_store(@options.slice(*known.keys).merge(options.transform_keys(&:to_s)), exact_text)
      end
    end
  end
end
