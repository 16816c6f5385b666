# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # What makes the vectors of an index file: chosen when it is made, and kept in it (CUR-5, SQL-1).
    class EmbeddingChoice
      include Base::Value

      HASHING = "hashing"
      OPENAI = "openai"
      NONE = "none"
      # The environment variable that holds the key of the service; it is never kept in a file.
      KEY = "HYBRID_SEARCH_API_KEY"
      DIMENSION = 256
      PARTS = %w[embed dimension url model].freeze

      # @return [String] "hashing", "openai" or "none"
      attr_reader :embed
      # @return [Integer, nil] components of a vector; nil: not known beforehand, or no vectors
      attr_reader :dimension
      # @return [String, nil] of the service, for openai
      attr_reader :url
      # @return [String, nil] of the service, for openai
      attr_reader :model

      class << self
        # @param text [String]
        # @return [EmbeddingChoice] the choice that an index file holds
        # @raise [IndexCorruptError] it holds no such
        def of_text(text)
          kept = Base::StrictJson.parse_object(text)
          if kept.nil? || !(kept.keys - PARTS).empty? || ![HASHING, OPENAI, NONE].include?(kept["embed"])
            raise IndexCorruptError, "the index file says in a way that is not known how it is embedded: #{text}"
          end

          new(**kept.transform_keys(&:to_sym))
        end
      end

      # @param embed [String]
      # @param dimension [Integer, nil]
      # @param url [String, nil]
      # @param model [String, nil]
      def initialize(embed:, dimension: nil, url: nil, model: nil)
        @embed = embed
        @dimension = dimension
        @url = url
        @model = model
        freeze
      end

      # @return [Hash{String=>Object}] the choice as plain data, without what it does not say
      def to_h
        super.compact
      end

      # @return [String] how an index file holds it
      def to_text
        Base::JsonWriter.write(to_h)
      end

      # @return [Embedding, nil] what makes the vectors; nil: nothing does
      def embedding
        return nil if embed == NONE
        return Embedding.new(HashingEmbedder.new(dimension: dimension || DIMENSION)) if embed == HASHING

        Embedding.new(OpenAiEmbedder.new(url.to_s, model.to_s, dimension:, api_key_env: ENV.key?(KEY) ? KEY : nil))
      end
    end
  end
end
