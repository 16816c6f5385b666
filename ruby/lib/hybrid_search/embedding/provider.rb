# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # Calls an embedding provider of any library, and makes lists of what it returns (EMB-2).
    class Provider
      include Base::ShortInspect

      # Methods for texts. The first that a provider has is called. They are those of sentence-transformers, of this
      # library, of LangChain, of LlamaIndex, of fastembed, and of RubyLLM.
      OF_TEXTS = %w[encode_document encode embed_documents get_text_embedding_batch passage_embed embed].freeze
      # Methods for one question, likewise.
      OF_A_QUESTION = %w[encode_queries encode_query embed_query get_query_embedding query_embed].freeze
      METHODS = [*OF_TEXTS, *OF_A_QUESTION].freeze
      ACCEPTED = "a callable, or an object with encode, encode_queries, encode_document, embed_documents, " \
                 "get_text_embedding_batch, passage_embed or embed"
      # What LlamaIndex calls a model that was not given a name.
      NO_NAME = "unknown"

      # @param name [String] the name of the argument in messages
      # @param value [Object] the provider as it was given
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
        # A function of texts that has an `embed_query` too gives it a list, as those of Chroma do.
        @of_a_question = first(@called ? OF_A_QUESTION - ["embed_query"] : OF_A_QUESTION)
        freeze
      end

      # @return [String, nil] the name of the model, nil where the provider has none
      def model
        [told(:model, ::String), told(:model_name, ::String)].find { |name| !name.nil? && name != NO_NAME }
      end

      # @return [Object, nil] what the provider says of itself; an attribute of another type is one of its own
      def told(name, kind)
        return nil unless @provider.respond_to?(name) && @provider.method(name).arity.between?(-1, 0)

        value = @provider.public_send(name)
        value.is_a?(kind) ? value : nil
      end

      # @return [Boolean] whether questions are embedded in their own way
      def questions?
        !@of_a_question.nil?
      end

      # @param texts [Array<String>]
      # @return [Object] the provider's answer, an Array where it is a list of any kind
      # @raise [EmbeddingError] the provider failed
      def of_texts(texts)
        return listed(texts.size) { vectors(@provider.public_send(@of_texts, texts), texts.size) } if @of_texts
        return listed(texts.size) { @provider.call(texts) } if @called

        texts.map { |text| of_a_question(text) }
      end

      # @param text [String]
      # @return [Object] the provider's answer for one question; of a list of one vector, that vector
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

      # What an answer of RubyLLM holds; some of its versions give for a list of one text the vector alone.
      def vectors(answer, texts = nil)
        return answer unless Base::ObjectChecks.has?(answer, "vectors")

        vectors = answer.vectors
        texts == 1 && vectors.is_a?(::Array) && vectors[0].is_a?(::Numeric) ? [vectors] : vectors
      end

      # The Array of an array of another library, which is Enumerable.
      def plain(answer)
        ::Enumerable === answer && !(::Hash === answer) ? answer.to_a : answer # rubocop:disable Style/CaseEquality
      end
    end
  end
end
