# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # A result and its place in the order.
    class RankedHit
      include ShortInspect

      # @return [RankingKey]
      attr_reader :key
      # @return [QueryHit]
      attr_reader :hit

      def initialize(key, hit)
        @key = key
        @hit = hit
        freeze
      end
    end

    # Results that follow one another.
    class Stretch
      include ShortInspect

      # @return [Array<RankedHit>]
      attr_reader :hits
      # @return [Boolean] whether there are more after them
      attr_reader :follows

      def initialize(hits, follows)
        @hits = hits.freeze
        @follows = follows
        freeze
      end
    end

    # All results of a request in their one total order over the whole effective budget (CUR-2, RNK-8); it holds neither
    # vectors nor anything of the store.
    class Ranking
      include ShortInspect

      # @return [RankingOrder] the order
      attr_reader :order
      # @return [Array<RankedHit>] the results, in that order
      attr_reader :hits
      # @return [String] that of the request, which cursors of this ranking carry
      attr_reader :fingerprint
      # @return [Boolean] whether the store has more candidates than the cap lets through
      attr_reader :capped
      # @return [Boolean] whether the store found as many candidates as the budget lets through, so that more may match
      attr_reader :cut
      # @return [Array<String>] what went wrong without stopping
      attr_reader :warnings
      # @return [Hash, nil] name → value and count over all results, nil unless asked for
      attr_reader :facets
      # @return [Hash, nil] how it came about, nil unless asked for; the parts of the results apart
      attr_reader :explain
      # @return [Hash] id → its place and score in recall, where `explain` was asked for
      attr_reader :parts

      # The results of a block in their order, those below the threshold left out.
      #
      # @param request [QueryRequest] what is asked for
      # @param order [RankingOrder] the total order
      # @param block [RankedBlock] all candidates, with the scores of the first stage
      # @param partial [PartialRerank::PartialOutcome, nil] what a model made of them
      # @return [Array<RankedHit>]
      def self.rank_hits(request, order, block, partial)
        scored = partial.nil? ? {} : partial.entries.to_h { |entry| [entry.id, entry] }
        hits = block.outcome.ids.each_with_index.filter_map do |id, index|
          similarity = block.outcome.similarity[index]
          entry = scored[id]
          if entry.nil? || entry.tier == 1
            stage1_score = block.outcome.stage1_scores[index]
            entry = PartialRerank::TieredEntry.new(id:, tier: 1, score: similarity, stage1_score:)
          end
          ranked_hit(request, order, block, index, entry) if passes?(request, entry.score)
        end
        hits.sort { |left, right| order.compare(left.key, right.key) }
      end

      # @return [Boolean] whether a score reaches the threshold, as far as there is one (RET-4)
      def self.passes?(request, score)
        retrieval = request.retrieval
        !retrieval.threshold? || score >= retrieval.similarity_threshold
      end

      def self.ranked_hit(request, order, block, index, entry)
        chunk = block.chunk(index, request.retrieval.highlight)
        values = order.values(block.recalled.result.fields_of(entry.id))
        hit = QueryHit.new(**chunk.deconstruct_keys(nil), tier: entry.tier, score: entry.score,
                                                          model_score: entry.model_score,
                                                          normalized_score: entry.normalized_score)
        RankedHit.new(RankingKey.new(values, entry.tier, entry.score, entry.stage1_score, entry.id), hit)
      end
      private_class_method :ranked_hit

      def initialize(order:, hits:, fingerprint:, capped: false, cut: false, warnings: [], facets: nil, explain: nil,
                     parts: {})
        @order = order
        @hits = hits.freeze
        @fingerprint = fingerprint
        @capped = capped
        @cut = cut
        @warnings = warnings.freeze
        @facets = facets.freeze
        @explain = explain
        @parts = parts
        freeze
      end

      # The next results strictly after a key, at most `size`; from the first on without a key.
      #
      # @param key [RankingKey, nil] the place of the last result that was shown; it need not be in this ranking
      # @param _position [Integer] how many were shown before, which does not matter here
      # @param size [Integer] how many are wanted
      # @return [Stretch]
      def after(key, _position, size)
        first = key.nil? ? 0 : hits.bsearch_index { |one| order.compare(one.key, key).positive? }
        first = hits.size if first.nil?
        Stretch.new(hits[first, size], first + size < hits.size)
      end
    end
  end
end
