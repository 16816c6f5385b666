# frozen_string_literal: true

module HybridSearch
  # Locates the answer to a text in a repository, in three stages of a fixed order (CNV-1).
  #
  # The first stage ranks blocks, in several rounds if convergence is on. The second stage, if enabled, has a model
  # score the best of them. The third stage returns files, modules and entities. Code of stages that are off is not even
  # loaded. Safe to share between threads, as far as the model is.
  class ConvergentRetriever
    include Base::ShortInspect

    autoload :Candidates, "hybrid_search/convergence/candidates"
    autoload :Located, "hybrid_search/convergence/located"
    autoload :LocatedBlock, "hybrid_search/convergence/located"
    autoload :RankedBlocks, "hybrid_search/convergence/located"
    autoload :Round, "hybrid_search/convergence/candidates"

    # @param index [BlockIndex] the blocks
    # @param rerank_model [#similarity, #call, String, nil] the rerank model, or its name (RNK-3, RNK-9); required and
    #   used only with `enable_rerank`
    # @param repos_root [String, nil] the folder that contains the repository `index.repo_name`; also only for
    #   `enable_rerank`
    # @param kernels [String, nil] "plain" or "fast"; nil takes the environment's choice
    # @param options [Hash{Symbol=>Object}] the parameters of CNV-2; those not given have their defaults
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(index, rerank_model: nil, repos_root: nil, kernels: nil, **options)
      @index = Base::ObjectChecks.instance("index", index, BlockIndex, "a BlockIndex")
      @settings = Convergence::Settings.new(options.transform_keys(&:to_s))
      @scores = Base::Kernels.kernel("block_scores", kernels).new(index.rows)
      @locations = Convergence::Locations.new(index, @settings)
      return unless @settings["enable_rerank"]

      @reranker = Convergence::BlockReranker.new(index, @settings, rerank_model, repos_root)
    end

    # Run all three stages.
    #
    # @param query [String] as typed; only the rerank model reads it
    # @param query_vector [Array<Float>] a vector of the length of the blocks' vectors, not all zero
    # @return [Located]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [DimensionMismatchError] the vector has another length
    # @raise [RerankError] the model failed, and `rerank_fail_open` is false
    def locate(query, query_vector)
      candidates = retrieve_candidates(query_vector)
      map_and_format_output(candidates, maybe_rerank(query, candidates))
    end

    # Run the first stage.
    #
    # @param query_vector [Array<Float>] as for {#locate}
    # @return [Candidates]
    def retrieve_candidates(query_vector)
      vector = checked(query_vector)
      if @settings["convergence_mode"] != Convergence::Settings::OFF
        return Convergence::Rounds.new(@index, @scores, @settings, Base::Numeric.normalize(vector)).run
      end

      ranking = @scores.best(vector, @settings.wanted)
      return Candidates.new(blocks: [], rounds: []) if ranking.empty?

      mean = Base::Numeric.mean(Base::Slices.head(ranking, @settings["converge_jaccard_k"]).map(&:last))
      Candidates.new(blocks: ranking, rounds: [Round.new(query_vector: vector, ranking:, mean:)])
    end

    # Run the second stage; without `enable_rerank` the blocks are unchanged.
    #
    # @param query [String] as for {#locate}
    # @param candidates [Candidates] the result of the first stage
    # @return [RankedBlocks]
    def maybe_rerank(query, candidates)
      query = Base::Validation.text("query", query)
      check_candidates(candidates)
      return @reranker.rerank(query, candidates.blocks) if @reranker

      blocks = candidates.blocks.map { |row, score| LocatedBlock.new(row:, tier: 1, score:, stage1_score: score) }
      RankedBlocks.new(blocks:)
    end

    # Run the third stage.
    #
    # @param candidates [Candidates] the result of the first stage
    # @param ranked [RankedBlocks] the result of the second stage
    # @return [Located]
    def map_and_format_output(candidates, ranked)
      check_candidates(candidates)
      Base::ObjectChecks.instance("ranked", ranked, RankedBlocks, "RankedBlocks, as maybe_rerank gives them")
      blocks = Base::Slices.head(ranked.blocks, @settings["top_k_blocks"])
      Located.new(
        found_files: @locations.files(blocks), found_modules: @locations.modules(blocks),
        found_entities: @locations.entities(blocks), blocks:, rounds: candidates.rounds,
        stop_reason: candidates.stop_reason, rerank_status: ranked.rerank_status, warnings: ranked.warnings
      )
    end

    private

    def inspected
      { index: @index }
    end

    def check_candidates(given)
      Base::ObjectChecks.instance("candidates", given, Candidates, "Candidates, as retrieve_candidates gives them")
    end

    def checked(query_vector)
      dimension = @index.size.zero? ? nil : @index.dimension
      vector = Base::Validation.vector("query_vector", query_vector, dimension:)
      raise InvalidInputError, "query_vector must not be of norm 0" if Base::Numeric.norm(vector).zero?

      vector
    end
  end
end
