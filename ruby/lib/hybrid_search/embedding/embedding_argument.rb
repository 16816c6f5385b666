# frozen_string_literal: true

module HybridSearch
  # What {Embedding} is given, checked.
  module Embeddings
    # What stands for an argument that was not given, where nil says something else.
    NOT_GIVEN = Base::Validation::NOT_GIVEN

    # What vectors may be asked of, checked where it is given (ERR-3).
    module EmbeddingArgument
      ACCEPTED = "an Embedding, #{Provider::ACCEPTED}".freeze
      private_constant :ACCEPTED

      module_function

      # @param options [Hash{Symbol=>Object}]
      # @return [Hash{Symbol=>Object}] the options that were given
      def given(options)
        options.reject { |_, value| NOT_GIVEN.equal?(value) }
      end

      # @param name [String] what the argument is called
      # @param value [Embedding, String, #call, #encode, #encode_queries, #embed, nil]
      # @return [Embedding, nil] the embedding that was given, or one of a provider or of a model's name; nil for nil
      # @raise [InvalidInputError] neither
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
