# frozen_string_literal: true

module HybridSearch
  # The checked arguments of {Embedding}.
  module Embeddings
    # The default of an argument for which nil has a meaning of its own.
    NOT_GIVEN = Base::Validation::NOT_GIVEN

    # Checks an argument that makes vectors (ERR-3).
    module EmbeddingArgument
      ACCEPTED = "an Embedding, #{Provider::ACCEPTED}".freeze
      private_constant :ACCEPTED

      module_function

      # @param options [Hash{Symbol=>Object}]
      # @return [Hash{Symbol=>Object}] the options that are not {NOT_GIVEN}
      def given(options)
        options.reject { |_, value| NOT_GIVEN.equal?(value) }
      end

      # @param name [String] the name of the argument
      # @param value [Embedding, String, #call, #encode, #encode_queries, #embed, nil]
      # @return [Embedding, nil] the given embedding, or one of a provider or of a model's name; nil for nil
      # @raise [InvalidInputError] the value is none of these
      # @raise [ConfigurationError] the library of a named model is not installed
      def accept(name, value)
        return value if value.nil? || value.is_a?(Embedding)
        return Embedding.named(value) if value.is_a?(String)

        Provider.accept(name, value, ACCEPTED)
        Embedding.new(value)
      end
    end
  end
end
