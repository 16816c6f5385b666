# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  class Generations
    # What a generation is made of, so that it can be seen whether the code would make it otherwise.
    class Recipe
      include Base::ShortInspect

      # The part of the library's version with which documents may change.
      FORMAT = VERSION.split(".").first(2).join(".").freeze
      KEYS = %w[definition model dimension title_weight format].freeze
      private_constant :KEYS

      # @return [String, nil] what the caller says of its records
      attr_reader :definition
      # @return [String, nil] the name of the embedding's model, which may be empty; nil: no embedding
      attr_reader :model
      # @return [Integer, nil] of its vectors; nil: not known
      attr_reader :dimension
      # @return [Float, nil] the share of titles in vectors
      attr_reader :title_weight
      # @return [String] of the library
      attr_reader :format

      # @param definition [String, nil]
      # @param embedding [Embedding, nil]
      # @param title_weight [Float, nil]
      # @return [Recipe] that of this process
      def self.of(definition, embedding, title_weight)
        new(definition, embedding&.model, embedding&.dimension, title_weight, FORMAT)
      end

      # @param parts [Hash{String=>Object}] as {#to_h} gives them
      # @return [Recipe]
      def self.from_h(parts)
        new(*parts.values_at(*KEYS))
      end

      # @param store [DocStoreAdapter]
      # @return [Integer, nil] the dimension of its vectors; nil: it has none
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

      # @return [String] of all but the dimension, which may not be known yet; 64 hex digits
      def digest
        Digest::SHA256.hexdigest(Base::CanonicalJson.write(to_h.except("dimension").compact))
      end

      # @param stored [Recipe] that of a generation
      # @param dimension [Integer, nil] of the vectors in it
      # @return [Array<String>] how the generation differs from what this recipe makes
      def differences(stored, dimension = stored.dimension)
        pairs = to_h.merge("dimension" => self.dimension || dimension)
        before = stored.to_h.merge("dimension" => dimension || self.dimension)
        pairs.reject { |key, value| before[key] == value }.map do |key, value|
          "#{key}: #{Base::Validation.describe(before[key])} -> #{Base::Validation.describe(value)}"
        end
      end

      # @param other [Recipe]
      # @return [Boolean] whether its vectors are those that this one would make of the same texts
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

      # What signs the cursors of a generation: one of a generation that was made otherwise leads nowhere in this one.
      #
      # @param secret [String, nil] the caller's
      # @return [String]
      def cursor_secret(secret)
        "#{digest}#{secret}"
      end
    end
  end
end
