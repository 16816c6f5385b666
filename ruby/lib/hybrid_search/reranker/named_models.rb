# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # The rerank models that searches name (RNK-9): each is made once, so that it is loaded once for all searches. Safe
    # to use from several threads.
    class NamedModels
      include Base::ShortInspect

      def initialize
        @lock = Thread::Mutex.new
        @models = {}
      end

      # @param given [Object]
      # @return [Object] the model of a name; anything but a text stays as it is
      # @raise [InvalidInputError] an unknown name
      # @raise [ConfigurationError] the library of the model is not installed
      def model(given)
        return given unless given.is_a?(::String)

        @lock.synchronize { @models[given] ||= RerankChoice.named(given).made }
      end

      # @param options [Hash{String=>Object}] the options of a search
      # @return [Hash{String=>Object}] the same options, with the model instead of its name
      def options(options)
        given = options["rerank_model"]
        given.is_a?(::String) ? options.merge("rerank_model" => model(given)) : options
      end
    end
  end
end
