# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # The options of a retriever, which apply to all questions; they are checked before anything is built from them
    # (ERR-3).
    class RetrieverSettings
      include Base::ShortInspect

      SETTINGS = %w[max_page_size kernels observer].freeze
      OPTIONS = [*SETTINGS, *RetrievalOptions::DEFAULTS.keys].freeze

      # @return [Integer] the largest accepted page size
      attr_reader :max_page_size

      # @param max_page_size [Integer]
      # @param options [Hash] defaults of requests
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def initialize(max_page_size, options)
        Base::Validation.known("option", options.keys, OPTIONS)
        @max_page_size = Base::Validation.integer("max_page_size", max_page_size, 1)
        @options = options.transform_keys(&:to_s).freeze
        @models = Rerankers::NamedModels.new
        request("", {}, true)
        freeze
      end

      # @param question [String]
      # @param options [Hash] options that override the defaults
      # @param supports_bm25f [Boolean] whether the store takes bags of tokens (DOC-8)
      # @return [RetrievalRequest] the request for a question
      def request(question, options, supports_bm25f)
        given = Profiles.for_store({ **@options, **options.transform_keys(&:to_s) }, supports_bm25f)
        RetrievalRequest.build(question, @models.options(given), @max_page_size)
      end
    end
  end
end
