# frozen_string_literal: true

module HybridSearch
  # What {Embedding} is given, checked.
  module Embeddings
    # What stands for an argument that was not given, where nil says something else.
    NOT_GIVEN = Object.new.freeze

    # What vectors may be asked of, checked where it is given (ERR-3).
    module Source
      METHODS = %w[encode encode_queries].freeze
      ACCEPTED = "an Embedding, a callable, or an object with encode or encode_queries"
      private_constant :METHODS, :ACCEPTED

      module_function

      # @param options [Hash{Symbol=>Object}]
      # @return [Hash{Symbol=>Object}] the options that were given
      def given(options)
        options.reject { |_, value| NOT_GIVEN.equal?(value) }
      end

      # @param name [String] what the argument is called
      # @param value [Embedding, #call, #encode, #encode_queries, nil]
      # @return [Embedding, nil] the embedding that was given, or one of a provider; nil of nil
      # @raise [InvalidInputError] neither
      def accept(name, value)
        return value if value.nil? || value.is_a?(Embedding)
        raise Validation.failure(name, value, ACCEPTED) unless Collaborators.able?(value, METHODS)

        Embedding.new(value)
      end
    end
  end
end
