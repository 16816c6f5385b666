# frozen_string_literal: true

module HybridSearch
  module Cli
    # The embedding that a command line asks for (CUR-5).
    module EmbeddingFlags
      Choice = Embeddings::EmbeddingChoice
      # Part of a choice → its flag.
      FLAGS = { "embed" => "embed", "dimension" => "dimension", "url" => "embed-url", "model" => "embed-model" }.freeze
      ACCEPTED = { Choice::HASHING => %w[embed dimension], Choice::OPENAI => FLAGS.keys,
                   Choice::NONE => %w[embed] }.freeze
      private_constant :Choice, :ACCEPTED

      module_function

      # @param flags [Hash{String=>Object}]
      # @return [Boolean] whether a command line says anything about the embedding
      def given?(flags)
        FLAGS.each_value.any? { |flag| flags.key?(flag) }
      end

      # The choice of a command line, which must be that of the file, if that has one.
      #
      # @param flags [Hash{String=>Object}]
      # @param kept [Embeddings::EmbeddingChoice, nil]
      # @return [Embeddings::EmbeddingChoice]
      # @raise [UsageError] it is another one, or not whole
      def choice_of(flags, kept)
        Base::Validation.integer("--dimension", flags["dimension"], 1) if flags.key?("dimension")
        given = FLAGS.select { |_, flag| flags.key?(flag) }.transform_values { |flag| flags[flag] }
        return new_choice(given) if kept.nil?

        given.each do |part, value|
          stored = kept.public_send(part)
          next if stored == value

          shown = Base::Validation.describe(stored)
          raise UsageError, "--#{FLAGS[part]} is #{shown} in this index file, not #{Base::Validation.describe(value)}"
        end
        kept
      end

      def new_choice(given)
        choice = Choice.new(**{ "embed" => Choice::HASHING, **given }.transform_keys(&:to_sym))
        given.each_key do |part|
          next if ACCEPTED[choice.embed].include?(part)

          raise UsageError, "--#{FLAGS[part]} says nothing where --embed is #{choice.embed}"
        end
        if choice.embed == Choice::OPENAI && (choice.url.nil? || choice.model.nil?)
          raise UsageError, "--embed openai needs --embed-url and --embed-model"
        end

        choice.embed == Choice::HASHING && choice.dimension.nil? ? choice.with(dimension: Choice::DIMENSION) : choice
      end
      private_class_method :new_choice
    end
  end
end
