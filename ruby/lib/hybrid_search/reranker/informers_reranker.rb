# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # A rerank model in this process (RNK-4, RNK-9): an ONNX cross-encoder of the optional gem informers, loaded at its
    # first call. One thread at a time uses it.
    class InformersReranker
      include Base::ShortInspect

      # @return [String] the name of the model
      attr_reader :model

      # @param family [String] one of {RerankChoice::LOCAL}
      # @param model [String]
      # @return [InformersReranker]
      # @raise [ConfigurationError] the gem is not installed
      def self.named(family, model)
        begin
          require "informers"
        rescue LoadError
          raise ConfigurationError, "the rerank model #{family} needs informers: gem install informers"
        end
        new(model)
      end

      # @param model [String]
      def initialize(model)
        @model = model
        @lock = Thread::Mutex.new
        @pipeline = nil
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @return [Array<Float>] the model's scores of the texts, in their order
      def similarity(query, texts)
        return [] if texts.empty?

        results = @lock.synchronize do
          @pipeline ||= ::Informers.pipeline("reranking", @model)
          @pipeline.call(query, texts)
        end
        scores = results.to_h { |result| [result[:doc_id], result[:score]] }
        texts.each_index.map { |place| scores.fetch(place) }
      end
    end
  end
end
