# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Reranks the first blocks of a list of one index with a model that reads their source (CNV-5).
    class BlockReranker
      include Base::ShortInspect

      # @param index [BlockIndex] the blocks
      # @param settings [Settings] the parameters (CNV-2)
      # @param model [#similarity, #call] the rerank model (RNK-3)
      # @param repos_root [String] the folder that contains the repository
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(index, settings, model, repos_root)
        @index = index
        @settings = settings
        @root = Base::Validation.text("repos_root", repos_root)
        @model = TruncatingModel.of(Rerankers::RerankChoice.accept("model", model), settings["rerank_max_length"])
        @partial = PartialRerank.new(
          @model,
          rerank_top_k: settings["rerank_top_k"],
          rerank_fusion: settings["rerank_fusion"],
          rerank_weight: settings["rerank_weight"],
          rerank_batch_size: settings["rerank_batch_size"],
          fail_open: settings["rerank_fail_open"],
          rerank_timeout: settings["rerank_timeout"]
        )
      end

      # @param query [String] as typed
      # @param blocks [Array<Array(Integer, Float)>] rows with their scores, best first
      # @return [ConvergentRetriever::RankedBlocks] the blocks, the first of them reranked
      # @raise [RerankError] the model failed, and `rerank_fail_open` is off
      def rerank(query, blocks)
        files = SourceFiles.new(@root, @index.repo_name)
        snippets = Snippets.new(@index, files, @settings, cut: !@model.is_a?(TruncatingModel))
        text_of = ->(name) { snippets.text(RowNames.row_of(name)) }
        outcome = @partial.rerank(query, blocks.map { |row, _| RowNames.id_of(row) }, blocks.map(&:last), text_of)
        ranked = outcome.entries.map do |entry|
          ConvergentRetriever::LocatedBlock.new(row: RowNames.row_of(entry.id), tier: entry.tier, score: entry.score,
                                                stage1_score: entry.stage1_score)
        end
        ConvergentRetriever::RankedBlocks.new(blocks: ranked, rerank_status: outcome.status,
                                              warnings: outcome.warnings)
      end
    end
  end
end
