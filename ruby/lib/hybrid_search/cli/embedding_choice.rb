# frozen_string_literal: true

module HybridSearch
  module Commanding
    # What makes the vectors of an index file: chosen when it is made, and kept in it (CUR-5).
    class EmbeddingChoice
      include Value

      HASHING = "hashing"
      OPENAI = "openai"
      NONE = "none"
      # The environment variable that holds the key of the service; it is never kept in a file.
      KEY = "HYBRID_SEARCH_API_KEY"
      DIMENSION = 256
      FLAGS = { "embed" => "embed", "dimension" => "dimension", "url" => "embed-url", "model" => "embed-model" }.freeze
      ACCEPTED = { HASHING => %w[embed dimension], OPENAI => FLAGS.keys, NONE => %w[embed] }.freeze
      private_constant :ACCEPTED

      # @return [String] "hashing", "openai" or "none"
      attr_reader :embed
      # @return [Integer, nil] components of a vector; nil: not known beforehand, or no vectors
      attr_reader :dimension
      # @return [String, nil] of the service, for openai
      attr_reader :url
      # @return [String, nil] of the service, for openai
      attr_reader :model

      class << self
        # The choice of a command line, which must be that of the file, if that has one.
        #
        # @param flags [Hash{String=>Object}]
        # @param kept [EmbeddingChoice, nil]
        # @return [EmbeddingChoice]
        # @raise [UsageError] it is another one, or not whole
        def of_flags(flags, kept)
          Validation.integer("--dimension", flags["dimension"], 1) if flags.key?("dimension")
          given = FLAGS.select { |_, flag| flags.key?(flag) }.transform_values { |flag| flags[flag] }
          return new_choice(given) if kept.nil?

          given.each do |part, value|
            stored = kept.public_send(part)
            next if stored == value

            shown = Validation.describe(stored)
            raise UsageError, "--#{FLAGS[part]} is #{shown} in this index file, not #{Validation.describe(value)}"
          end
          kept
        end

        # @param text [String]
        # @return [EmbeddingChoice] the choice that an index file holds
        # @raise [IndexCorruptError] it holds no such
        def of_text(text)
          kept = StrictJson.parse_object(text)
          if kept.nil? || !(kept.keys - FLAGS.keys).empty? || !ACCEPTED.key?(kept["embed"])
            raise IndexCorruptError, "the index file says in a way that is not known how it is embedded: #{text}"
          end

          new(**kept.transform_keys(&:to_sym))
        end

        private

        def new_choice(given)
          choice = new(**{ "embed" => HASHING, **given }.transform_keys(&:to_sym))
          given.each_key do |part|
            next if ACCEPTED[choice.embed].include?(part)

            raise UsageError, "--#{FLAGS[part]} says nothing where --embed is #{choice.embed}"
          end
          if choice.embed == OPENAI && (choice.url.nil? || choice.model.nil?)
            raise UsageError, "--embed openai needs --embed-url and --embed-model"
          end

          choice.embed == HASHING && choice.dimension.nil? ? choice.with(dimension: DIMENSION) : choice
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
        JsonWriter.write(to_h)
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
