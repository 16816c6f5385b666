# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Ranks blocks of candidates by their fusion, by tokens and vectors, or by a model (RET-4, RET-10); stateless
    # between calls.
    class Ranker
      include Base::ShortInspect

      # @param store [DocStoreAdapter] the store of the candidates
      # @param query_builder [QueryBuilder] reads questions
      # @param kernels [String, nil] "plain" or "fast", for the reranker
      # @param observation [Base::Observation] receives an event for each block (OBS-1)
      def initialize(store, query_builder, kernels, observation)
        @store = store
        @reranker = Reranker.new(query_builder, kernels:)
        @observation = observation
        freeze
      end

      # Rerank a block of candidates and return those that reach the threshold, in the order of ORD-1 (RET-4).
      # Candidates that are ordered by fields, or with `match_all`, stay in the order of recall (RET-8, RET-9).
      #
      # @param request [RetrievalRequest] the request
      # @param recalled [Recalled] the block
      # @param first [Integer] the position of its first candidate among all
      # @return [RankedBlock]
      def rank(request, recalled, first = 0)
        @observation.measure("rerank", candidates: recalled.result.ids.size) do |event|
          ranked(request, recalled, first).tap do |ranked|
            event.update(shown: ranked.order.size, formula: ranked.outcome.formula)
          end
        end
      end

      # @param request [RetrievalRequest] as for {#rank}
      # @param recalled [Recalled] as for {#rank}
      # @param first [Integer] as for {#rank}
      # @return [RankedBlock] a block with its scores, in the order of recall, without a threshold
      def score(request, recalled, first = 0)
        @observation.measure("rerank", candidates: recalled.result.ids.size) do |event|
          outcome = rerank(request, recalled, first)
          event.update(shown: outcome.ids.size, formula: outcome.formula)
          RankedBlock.new(recalled, outcome, outcome.ids.each_index.to_a, first)
        end
      end

      private

      def ranked(request, recalled, first)
        outcome = rerank(request, recalled, first)
        as_recalled = request.match_all || !request.order_by.empty?
        order = as_recalled ? outcome.ids.each_index.to_a : outcome.order
        order = order.select { |index| outcome.similarity[index] >= request.similarity_threshold } if request.threshold?
        RankedBlock.new(recalled, outcome, order, first)
      end

      def rerank(request, recalled, first)
        result = recalled.result
        return Reranker::RerankOutcome.of_store_scores(result) if request.match_all || @store.fuses_scores?
        return fused(request, result, first) if request.fused?

        shares = { tkweight: request.tkweight, vtweight: request.vtweight, rank_feature: request.rank_feature,
                   keywords: recalled.keywords }
        if request.rerank_model && !result.ids.empty?
          return @reranker.rerank_by_model(
            request.rerank_model, result, request.question,
            **shares, fail_open: request.fail_open, rerank_timeout: request.rerank_timeout
          )
        end
        @reranker.rerank_by_hybrid(result, request.question, **shares)
      end

      # Return the scores of the fusion; a model reranks the head of the first block (RET-10).
      def fused(request, result, first)
        outcome = Reranker::RerankOutcome.of_fusion(result)
        return outcome if request.rerank_model.nil? || first.positive?

        partial = PartialRerank.new(request.rerank_model, fail_open: request.fail_open,
                                                          rerank_timeout: request.rerank_timeout)
        outcome.with_model(partial.rerank_result(request.question, result, outcome.stage1_scores))
      end
    end
  end
end
