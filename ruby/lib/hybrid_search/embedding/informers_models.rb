# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # Embedding models in this process (EMB-2, EMB-4): ONNX models of the optional gem informers.
    module LocalModels
      # The families whose models informers can run.
      INFORMERS = [ModelNames::FASTEMBED, ModelNames::SENTENCE_TRANSFORMERS].freeze

      module_function

      # @param family [String] one of {ModelNames}
      # @param model [String]
      # @param query_prefix [String]
      # @param passage_prefix [String]
      # @return [InformersEmbedder] the provider of a model, which is loaded at its first call
      # @raise [ConfigurationError] the gem is not installed, or does not run models of this family
      def named(family, model, query_prefix:, passage_prefix:)
        unless INFORMERS.include?(family)
          raise ConfigurationError, "models of #{family} run in Python alone: use fastembed/MODEL with the gem " \
                                    "informers, or openai/MODEL"
        end

        begin
          require "informers"
        rescue LoadError
          raise ConfigurationError, "the embedding #{family} needs informers: gem install informers"
        end
        InformersEmbedder.new(model, query_prefix:, passage_prefix:)
      end
    end

    # A provider for {Embedding}: an ONNX model of informers, loaded at its first call. One thread at a time uses it.
    class InformersEmbedder
      include Base::ShortInspect

      # @return [String] the name of the model, for caches
      attr_reader :model

      # @param model [String]
      # @param query_prefix [String] the text before every query
      # @param passage_prefix [String] the text before every other text
      def initialize(model, query_prefix:, passage_prefix:)
        @model = model
        @query_prefix = query_prefix
        @passage_prefix = passage_prefix
        @lock = Thread::Mutex.new
        @pipeline = nil
      end

      # @param text [String]
      # @return [Array<Float>] the vector of one query
      def encode_queries(text)
        vectors([@query_prefix + text]).first
      end

      # @param texts [Array<String>]
      # @return [Array<Array<Float>>] the vectors of texts, in their order
      def encode(texts)
        vectors(texts.map { |text| @passage_prefix + text })
      end

      private

      def vectors(texts)
        @lock.synchronize do
          @pipeline ||= ::Informers.pipeline("embedding", @model)
          # Models of BAAI use the vector of the first token, the others the mean, which is the gem's default.
          options = @model.downcase.include?("bge-") ? { pooling: "cls" } : {}
          @pipeline.call(texts, **options)
        end
      end
    end
  end
end
