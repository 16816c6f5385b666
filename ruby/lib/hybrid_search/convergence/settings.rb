# frozen_string_literal: true

module HybridSearch
  module Convergence
    # The parameters of one convergent retriever: names, defaults and limits (CNV-2).
    class Settings
      include Base::ShortInspect

      OFF = "off"
      PRF = "prf"
      GLOBAL_LOCAL = "global_local"
      MODES = [OFF, PRF, GLOBAL_LOCAL].freeze
      RRF = "rrf"
      MAX = "max"

      # Name => default, check with its arguments, and the stage that must be on for the check to run (nil means
      # always), in the order of the checks.
      PARAMETERS = {
        "convergence_mode" => [OFF, [:choice, MODES], nil],
        "max_steps" => [3, [:integer, 1], :convergence],
        "top_k_blocks" => [50, [:integer, 1], nil],
        "top_k_files" => [20, [:integer, 1], nil],
        "top_k_modules" => [20, [:integer, 1], nil],
        "top_k_entities" => [50, [:integer, 1], nil],
        "top_k_blocks_expand" => [100, [:integer, 1], :convergence],
        "feedback_top_m" => [8, [:integer, 1], :convergence],
        "feedback_file_cap" => [2, [:integer, 0], :convergence],
        "query_update_alpha" => [0.35, [:number, 0], :convergence],
        "query_anchor_beta" => [0.15, [:number, 0], :convergence],
        "feedback_temp" => [0.05, [:number, 0], :convergence],
        "round_fusion" => [RRF, [:choice, ["last", RRF].freeze], :convergence],
        "rrf_k" => [60.0, [:number, 0], :convergence],
        "converge_jaccard_k" => [50, [:integer, 1], :convergence],
        "converge_jaccard_threshold" => [0.90, [:number, 0, 1], :convergence],
        "converge_min_improve" => [0.002, [:number], :convergence],
        "patience" => [1, [:integer, 1], :convergence],
        "min_cos_to_q0" => [0.75, [:number, -1, 1], :convergence],
        "top_k_seed_files" => [20, [:integer, 1], :seeds],
        "file_score_agg" => ["sum", [:choice, ["sum", MAX].freeze], nil],
        "enable_rerank" => [false, [:boolean], nil],
        "rerank_top_k" => [50, [:integer, 1], :rerank],
        "rerank_batch_size" => [8, [:integer, 1], :rerank],
        "rerank_max_length" => [512, [:integer, 8], :rerank],
        "rerank_context_lines" => [0, [:integer, 0], :rerank],
        "rerank_snippet_max_lines" => [120, [:integer, 1], :rerank],
        "rerank_fusion" => ["replace", [:choice, %w[replace linear].freeze], :rerank],
        "rerank_weight" => [0.8, [:number, 0, 1], :rerank],
        "rerank_fail_open" => [true, [:boolean], :rerank],
        "rerank_timeout" => [30.0, [:number], :rerank]
      }.freeze

      # @param given [Hash{String=>Object}] name => value; parameters of a stage that is off keep their defaults, and
      #   their values are not checked
      # @raise [InvalidInputError] a name is unknown, or a value outside its limits
      def initialize(given)
        Base::Validation.known("option", given.keys, PARAMETERS.keys)
        @values = PARAMETERS.transform_values(&:first)
        %w[convergence_mode enable_rerank].each { |name| take(name, given) }
        stages = stages()
        PARAMETERS.each { |name, (_, _, stage)| take(name, given) if stages.include?(stage) }
        check_shares
        check_timeout
        @values.freeze
        freeze
      end

      # @param name [String]
      # @return [Object] the value of a parameter
      def [](name)
        @values.fetch(name)
      end

      # @return [Integer] W: the number of blocks that the first stage returns
      def wanted
        self["enable_rerank"] ? [self["top_k_blocks"], self["rerank_top_k"]].max : self["top_k_blocks"]
      end

      # @return [Integer] R: the number of blocks that a round ranks
      def per_round
        [wanted, self["top_k_blocks_expand"]].max
      end

      private

      def inspected
        { convergence_mode: self["convergence_mode"], enable_rerank: self["enable_rerank"] }
      end

      def stages
        mode = self["convergence_mode"]
        stages = [nil]
        stages << :convergence if mode != OFF
        stages << :seeds if mode == GLOBAL_LOCAL
        stages << :rerank if self["enable_rerank"]
        stages
      end

      def take(name, given)
        return unless given.key?(name)

        check, *limits = PARAMETERS.fetch(name)[1]
        @values[name] = Base::Validation.public_send(check, name, given[name], *limits)
      end

      def check_shares
        shares = self["query_update_alpha"] + self["query_anchor_beta"]
        return unless shares > 1.0

        raise InvalidInputError,
              "query_update_alpha + query_anchor_beta must be at most 1, not #{Base::Validation.describe(shares)}"
      end

      def check_timeout
        timeout = self["rerank_timeout"]
        return if timeout.positive?

        raise InvalidInputError, "rerank_timeout must be a number above 0, not #{Base::Validation.describe(timeout)}"
      end
    end
  end
end
