# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # A rerank model that was chosen by its name (RNK-9).
    class RerankChoice
      include Base::Value

      # The environment variable that contains the key of a rerank service.
      RERANK_KEY = "HYBRID_SEARCH_RERANK_API_KEY"
      FASTEMBED = Embeddings::ModelNames::FASTEMBED
      SENTENCE_TRANSFORMERS = Embeddings::ModelNames::SENTENCE_TRANSFORMERS
      COHERE = "cohere"
      JINA = "jina"
      TEI = "tei"
      # Families whose models run in this process.
      LOCAL = [FASTEMBED, SENTENCE_TRANSFORMERS].freeze
      FAMILIES = [*LOCAL, COHERE, JINA, TEI].freeze
      # Family → the model of a name without one; all of them know Chinese and English.
      DEFAULT_MODELS = {
        FASTEMBED => "BAAI/bge-reranker-base",
        SENTENCE_TRANSFORMERS => "BAAI/bge-reranker-base",
        COHERE => "rerank-v3.5",
        JINA => "jina-reranker-v2-base-multilingual"
      }.freeze
      # Family → the address of its service.
      ADDRESSES = { COHERE => "https://api.cohere.com/v2/rerank", JINA => "https://api.jina.ai/v1/rerank" }.freeze

      # @return [String] one of {FAMILIES}
      attr_reader :family
      # @return [String, nil] the name of the model; nil for tei, whose server has one model
      attr_reader :model
      # @return [String, nil] the address of the service; nil for a model in this process
      attr_reader :url

      class << self
        # @param name [String] a family, and after a slash a model, or for tei the address of the server (RNK-9)
        # @param url [String, nil] the address of the service, for cohere, jina and tei
        # @return [RerankChoice] the choice of a name such as `fastembed/BAAI/bge-reranker-base`
        # @raise [InvalidInputError] an unknown family, a missing address, or an address that the family does not have
        def named(name, url: nil)
          family, _, rest = Base::Validation.text("rerank_model", name).partition("/")
          Base::Validation.known("rerank model", [family], FAMILIES)
          url = Base::Validation.text("url", url) unless url.nil?
          refuse_url(family) if LOCAL.include?(family) && url
          unless family == TEI
            model = rest.empty? ? DEFAULT_MODELS.fetch(family) : rest
            return new(family:, model:, url: present(url) || ADDRESSES[family])
          end
          address = present(rest)
          refuse_url(Base::Validation.describe(name)) if address && present(url)
          address ||= present(url)
          return new(family:, url: address) if address

          raise InvalidInputError, "rerank_model must be tei/ADDRESS, not #{Base::Validation.describe(name)}"
        end

        # @param name [String] the name of the argument
        # @param model [#similarity, #call, String]
        # @return [#similarity, #call] the given rerank model, or the model of a name
        # @raise [InvalidInputError] neither a callable, an object with `similarity`, nor a known name
        # @raise [ConfigurationError] the library of a named model is not installed
        def accept(name, model)
          model.is_a?(::String) ? named(model).made : RerankModel.accept(name, model)
        end

        private

        def present(text)
          text.nil? || text.empty? ? nil : text
        end

        def refuse_url(shown)
          raise InvalidInputError, "url has no meaning for the rerank model #{shown}"
        end
      end

      # @param family [String]
      # @param model [String, nil]
      # @param url [String, nil]
      def initialize(family:, model: nil, url: nil)
        @family = family
        @model = model
        @url = url
        freeze
      end

      # @return [Hash{String=>Object}] the choice as plain data, without parts that are not set
      def to_h
        super.compact
      end

      # @return [#similarity] the model; a model in this process is loaded at its first call
      # @raise [ConfigurationError] its library is not installed
      # @raise [InvalidInputError] the address of the service is not accepted
      def made
        return InformersReranker.named(family, model.to_s) if LOCAL.include?(family)

        shape, batch_size = family == TEI ? [TEI, 32] : ["standard", 64]
        HttpReranker.new(url.to_s, model.to_s, shape:, batch_size:, api_key_env: key)
      end

      private

      # Return the environment variable of the key: the embedding's key is not sent to a rerank service of another
      # owner.
      def key
        return RERANK_KEY if url == ADDRESSES[family]

        [RERANK_KEY, Embeddings::EmbeddingChoice::KEY].find { |name| ENV.key?(name) }
      end
    end
  end
end
