# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  class Generations
    # The parts of which a generation is made. They show whether the code would make it in another way now.
    class Recipe
      include Base::ShortInspect

      # The part of the library's version with which documents may change.
      FORMAT = VERSION.split(".").first(2).join(".").freeze
      KEYS = %w[definition model dimension title_weight format].freeze
      private_constant :KEYS

      # @return [String, nil] the caller's statement about its records
      attr_reader :definition
      # @return [String, nil] the name of the embedding's model, which may be empty; nil: no embedding
      attr_reader :model
      # @return [Integer, nil] the dimension of its vectors; nil: not known
      attr_reader :dimension
      # @return [Float, nil] the share of titles in vectors
      attr_reader :title_weight
      # @return [String] the format of the library
      attr_reader :format

      # @param definition [String, nil]
      # @param embedding [Embedding, nil]
      # @param title_weight [Float, nil]
      # @return [Recipe] the recipe of this process
      def self.of(definition, embedding, title_weight)
        new(definition, embedding&.model, embedding&.dimension, title_weight, FORMAT)
      end

      # @param parts [Hash{String=>Object}] the result of {#to_h}
      # @return [Recipe]
      def self.from_h(parts)
        new(*parts.values_at(*KEYS))
      end

      # @param store [DocStoreAdapter]
      # @return [Integer, nil] the dimension of its vectors; nil: it has no vectors
      def self.dimension_of(store)
        held = store.vector_fields.to_h.each_value.select { |field| field["count"].positive? }
        held.max_by { |field| field["count"] }&.fetch("dimension")
      end

      def initialize(definition, model, dimension, title_weight, format)
        @definition = definition
        @model = model
        @dimension = dimension
        @title_weight = title_weight
        @format = format
        freeze
      end

      # @return [Hash{String=>Object}]
      def to_h
        { "definition" => definition, "model" => model, "dimension" => dimension, "title_weight" => title_weight,
          "format" => format }
      end

      # @return [String] a digest of all parts but the dimension, which may not be known yet; 64 hex digits
      def digest
        Digest::SHA256.hexdigest(Base::CanonicalJson.write(to_h.except("dimension").compact))
      end

      # @param stored [Recipe] the recipe of a generation
      # @param dimension [Integer, nil] the dimension of its vectors
      # @return [Array<String>] the differences between the generation and the result of this recipe
      def differences(stored, dimension = stored.dimension)
        pairs = to_h.merge("dimension" => self.dimension || dimension)
        before = stored.to_h.merge("dimension" => dimension || self.dimension)
        pairs.reject { |key, value| before[key] == value }.map do |key, value|
          "#{key}: #{Base::Validation.describe(before[key])} -> #{Base::Validation.describe(value)}"
        end
      end

      # @param other [Recipe]
      # @return [Boolean] whether its vectors are those that this recipe would make from the same texts
      def same_vectors?(other)
        named = !model.to_s.empty? && model == other.model && title_weight == other.title_weight
        named && [dimension, other.dimension].compact.uniq.size < 2
      end

      # @param embeddings [Array<Embedding, nil>]
      # @return [Embedding, nil] the one that makes the vectors of this recipe
      def embedding_of(embeddings)
        return nil if model.nil?

        embeddings.compact.find do |embedding|
          embedding.model == model && [embedding.dimension, dimension].compact.uniq.size < 2
        end
      end

      # Return the secret of a generation's cursors: a cursor of a generation that was made in another way is not
      # accepted.
      #
      # @param secret [String, nil] the caller's secret
      # @return [String]
      def cursor_secret(secret)
        "#{digest}#{secret}"
      end
    end
  end
end
