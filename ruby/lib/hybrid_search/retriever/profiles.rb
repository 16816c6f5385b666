# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Profiles: named sets of options that belong together (RET-10).
    module Profiles
      # choices:begin: made by `bin/conformance make options`
      # The values of the options that have a few.
      CHOICES = {
        "parents" => %w[mean max].freeze,
        "profile" => %w[balanced ragflow dify].freeze,
        "text_leg" => %w[tree bm25f].freeze,
        "fusion" => %w[weighted_sum rrf auto min_max].freeze,
        "ranking" => %w[rerank fused].freeze,
        "on_index_change" => %w[continue error].freeze,
        "rerank_fusion" => %w[replace linear].freeze
      }.freeze

      # Profile → the options that it sets (RET-10).
      PROFILES = {
        "balanced" => {
          "text_leg" => "bm25f",
          "fusion" => "auto",
          "ranking" => "fused",
          "similarity_threshold" => 0.0
        }.freeze,
        "ragflow" => {
          "text_leg" => "tree",
          "fusion" => "weighted_sum",
          "ranking" => "rerank",
          "similarity_threshold" => 0.2
        }.freeze,
        "dify" => {
          "text_leg" => "bm25f",
          "fusion" => "rrf",
          "ranking" => "fused",
          "similarity_threshold" => 0.0
        }.freeze
      }.freeze
      # choices:end

      module_function

      # @param supports_bm25f [Boolean] whether the store takes bags of tokens (DOC-8)
      # @return [String] the default profile of an index
      def of_index(supports_bm25f)
        supports_bm25f ? "balanced" : "ragflow"
      end

      # Return the options of a request. If its store does not support bags of tokens, the profile "dify" uses
      # RAGFlow's query, unless a text leg is given.
      #
      # @param options [Hash{String=>Object}]
      # @param supports_bm25f [Boolean] whether the store takes bags of tokens (DOC-8)
      # @return [Hash{String=>Object}]
      def for_store(options, supports_bm25f)
        return options if supports_bm25f || !["dify", :dify].include?(options["profile"])

        { "text_leg" => "tree", **options }
      end

      # @param defaults [Hash{String=>Object}]
      # @param options [Hash{String=>Object}]
      # @return [Hash{String=>Object}] the options with the missing ones filled in from the profile, and otherwise from
      #   the defaults
      # @raise [InvalidInputError] no profile has this name
      def filled(defaults, options)
        profile = Base::Validation.choice("profile", options.fetch("profile", defaults["profile"]), CHOICES["profile"])
        { **defaults, **PROFILES.fetch(profile), **options }
      end
    end
  end
end
