# frozen_string_literal: true

module HybridSearch
  module Cli
    # Chooses the rerank model of a command line (RNK-4, CNV-5).
    class RerankChoice
      include Base::ShortInspect

      # @param flags [Hash{String=>Object}] the flags of the command line
      def initialize(flags)
        @flags = flags
      end

      # @return [HttpReranker, nil] a service; nil without a rerank, for which nothing is loaded
      # @raise [UsageError] no address is given: only the other program can run a cross-encoder in its process
      def model
        return unless @flags.key?("enable-rerank")
        unless @flags.key?("rerank-url")
          raise UsageError, "--enable-rerank needs --rerank-url: the program in Ruby runs no cross-encoder of its own"
        end

        key = Embeddings::EmbeddingChoice::KEY
        HttpReranker.new(@flags["rerank-url"], @flags["rerank-model"], shape: @flags["rerank-shape"],
                                                                       api_key_env: ENV.key?(key) ? key : nil)
      end
    end
  end
end
