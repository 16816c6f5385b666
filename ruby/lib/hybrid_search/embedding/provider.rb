# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # Calls an embedding provider of any library, and makes lists of what it returns (EMB-2).
    class Provider
      include Base::ShortInspect

      # The methods for texts, of which the first that a provider has is called. They are those of
      # sentence-transformers, of this library, of LangChain, of LlamaIndex, of fastembed, and of RubyLLM.
      OF_TEXTS = %w[encode_document encode embed_documents get_text_embedding_batch passage_embed embed].freeze
      # The methods for one question; the first that a provider has is called.
      OF_A_QUESTION = %w[encode_queries encode_query embed_query get_query_embedding query_embed].freeze
      METHODS = [*OF_TEXTS, *OF_A_QUESTION].freeze
      ACCEPTED = "a callable, or an object with encode, encode_queries, encode_document, embed_documents, " \
                 "get_text_embedding_batch, passage_embed or embed"
      # The name in LlamaIndex of a model without a given name.
      NO_NAME = "unknown"

      # @param name [String] the name of the argument in messages
      # @param value [Object] the provider
      # @param accepted [String] a description of accepted values, for the message
      # @return [Provider] the provider, checked
      # @raise [InvalidInputError] the value has nothing to call
      def self.accept(name, value, accepted = ACCEPTED)
        raise Base::Validation.failure(name, value, accepted) unless Base::ObjectChecks.able?(value, METHODS)

        new(value)
      end

      # @param provider [Object] see {Embedding}
      def initialize(provider)
        @provider = provider
        @of_texts = first(OF_TEXTS)
        @called = @of_texts.nil? && provider.respond_to?(:call)
        # A function of texts that also has an `embed_query` passes a list to it, as those of Chroma do.
        @of_a_question = first(@called ? OF_A_QUESTION - ["embed_query"] : OF_A_QUESTION)
        freeze
      end

      # @return [String, nil] the name of the model, nil if the provider has no name
      def model
        [told(:model, ::String), told(:model_name, ::String)].find { |name| !name.nil? && name != NO_NAME }
      end

      # @return [Object, nil] an attribute of the provider; nil if it is missing or of another type, and so has another
      #   meaning
      def told(name, kind)
        return nil unless @provider.respond_to?(name) && @provider.method(name).arity.between?(-1, 0)

        value = @provider.public_send(name)
        value.is_a?(kind) ? value : nil
      end

      # @return [Boolean] whether a model makes the vectors, which takes time or money; a provider may have a
      #   `needs_model?` that is false
      def needs_model?
        !@provider.respond_to?(:needs_model?) || @provider.needs_model?
      end

      # @return [Boolean] whether questions are embedded in their own way
      def questions?
        !@of_a_question.nil?
      end

      # @param texts [Array<String>]
      # @return [Object] the provider's response, as an Array if it is a list of any kind
      # @raise [EmbeddingError] the provider failed
      def of_texts(texts)
        return listed(texts.size) { vectors(@provider.public_send(@of_texts, texts), texts.size) } if @of_texts
        return listed(texts.size) { @provider.call(texts) } if @called

        texts.map { |text| of_a_question(text) }
      end

      # @param text [String]
      # @return [Object] the provider's response for one question; if it is a list of one vector, that vector
      # @raise [EmbeddingError] the provider failed
      def of_a_question(text)
        answer = listed(1) { vectors(@provider.public_send(@of_a_question, text)) }
        answer.is_a?(::Array) && answer.size == 1 && answer[0].is_a?(::Array) ? answer[0] : answer
      end

      private

      def first(names)
        names.find { |name| @provider.respond_to?(name) }
      end

      # Return a list-like response as an Array; of an Enumerator, at most one value more than wanted.
      def listed(most)
        answer = yield
        answer = answer.first(most + 1) if ::Enumerator === answer # rubocop:disable Style/CaseEquality -- as below
        return plain(answer) unless answer.is_a?(::Array)

        answer.all?(::Float) ? answer : answer.map { |each| plain(each) }
      rescue Error
        raise
      rescue StandardError => e
        raise EmbeddingError, "the embedding provider failed: #{Base::Validation.foreign_error(e)}"
      end

      # Return the vectors in a response of RubyLLM; for a list of one text, some of its versions return the vector
      # alone.
      def vectors(answer, texts = nil)
        return answer unless Base::ObjectChecks.has?(answer, "vectors")

        vectors = answer.vectors
        texts == 1 && vectors.is_a?(::Array) && vectors[0].is_a?(::Numeric) ? [vectors] : vectors
      end

      # Return an array of another library, which is Enumerable, as an Array.
      def plain(answer)
        ::Enumerable === answer && !(::Hash === answer) ? answer.to_a : answer # rubocop:disable Style/CaseEquality
      end
    end
  end
end
