# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the choice of the embedding from a command line (CUR-5, EMB-4).
    module EmbeddingFlags
      Choice = Embeddings::EmbeddingChoice
      Names = Embeddings::ModelNames
      # The members of a choice → their flags.
      FLAGS = { "embed" => "embed", "dimension" => "dimension", "url" => "embed-url", "model" => "embed-model",
                "query_prefix" => "query-prefix", "passage_prefix" => "passage-prefix" }.freeze
      ACCEPTED = { Names::HASHING => %w[embed dimension], Names::OPENAI => FLAGS.keys, Names::NONE => %w[embed] }.freeze
      # The members that the other families accept.
      OF_LOCAL = %w[embed model query_prefix passage_prefix].freeze
      private_constant :Choice, :Names, :ACCEPTED, :OF_LOCAL

      module_function

      # @param flags [Hash{String=>Object}]
      # @return [Boolean] whether a command line has flags of the embedding
      def given?(flags)
        FLAGS.each_value.any? { |flag| flags.key?(flag) }
      end

      # Return the choice of a command line, which must equal `kept`, that of the file, if the file has one.
      #
      # @param flags [Hash{String=>Object}]
      # @return [Embeddings::EmbeddingChoice]
      # @raise [UsageError] the choice differs, or is incomplete
      def choice_of(flags, kept)
        Base::Validation.integer("--dimension", flags["dimension"], 1) if flags.key?("dimension")
        given = FLAGS.select { |_, flag| flags.key?(flag) }.transform_values { |flag| flags[flag] }
        family, slash, model = given.fetch("embed", "").partition("/")
        unless slash.empty?
          raise UsageError, "--embed-model has no meaning if --embed names a model" if given.key?("model")

          given = { **given, "embed" => family, "model" => model }
        end
        return new_choice(given) if kept.nil?

        given.each do |part, value|
          stored = kept.public_send(part)
          next if (stored || "") == value

          shown = Base::Validation.describe(stored)
          raise UsageError, "--#{FLAGS[part]} is #{shown} in this index file, not #{Base::Validation.describe(value)}"
        end
        kept
      end

      def new_choice(given)
        options = given.transform_keys(&:to_sym)
        family = options.delete(:embed) || Names::HASHING
        Base::Validation.known("--embed", [family], [*Names::FAMILIES, Names::NONE])
        accepted = ACCEPTED.fetch(family, OF_LOCAL)
        given.each_key do |part|
          next if accepted.include?(part)

          raise UsageError, "--#{FLAGS[part]} has no meaning if --embed is #{family}"
        end
        return Choice.new(embed: family) if family == Names::NONE

        model = options.delete(:model) || ""
        if family == Names::OPENAI && model.empty?
          raise UsageError, "--embed openai needs --embed-url and --embed-model"
        end

        Choice.named(model.empty? ? family : "#{family}/#{model}", **options)
      end
      private_class_method :new_choice
    end
  end
end
