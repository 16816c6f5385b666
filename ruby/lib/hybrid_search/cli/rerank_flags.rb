# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the rerank model from a command line (RNK-4, RNK-9, CNV-5).
    module RerankFlags
      module_function

      # @param flags [Hash{String=>Object}]
      # @return [Hash{Symbol=>Object}] the options of a search that set its model, if one is named
      # @raise [UsageError] an address without a model
      # @raise [InvalidInputError] an unknown name
      # @raise [ConfigurationError] the library of the model is not installed
      def options_of(flags)
        if flags.key?("rerank-model")
          choice = Rerankers::RerankChoice.named(flags["rerank-model"], url: flags["rerank-url"])
          return { rerank_model: choice.made }
        end
        raise UsageError, "--rerank-url needs --rerank-model" if flags.key?("rerank-url")

        {}
      end

      # @param flags [Hash{String=>Object}]
      # @return [#similarity, nil] the model of `locate`: a named one, or a service; nil without a rerank. It is not
      #   loaded before its first call
      # @raise [UsageError] neither family nor address is given: only the other program runs such a cross-encoder
      def model_of_blocks(flags)
        return unless flags.key?("enable-rerank")

        name = flags["rerank-model"]
        choice = Rerankers::RerankChoice
        return choice.named(name, url: flags["rerank-url"]).made if choice::FAMILIES.include?(name.partition("/").first)
        unless flags.key?("rerank-url")
          raise UsageError, "--enable-rerank needs --rerank-url: the program in Ruby runs no cross-encoder of its own"
        end

        key = [choice::RERANK_KEY, Embeddings::EmbeddingChoice::KEY].find { |variable| ENV.key?(variable) }
        HttpReranker.new(flags["rerank-url"], name, shape: flags["rerank-shape"], api_key_env: key)
      end
    end
  end
end
