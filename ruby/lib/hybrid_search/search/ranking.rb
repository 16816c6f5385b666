# frozen_string_literal: true

module HybridSearch
  module Search
    # Consecutive places in a ranking.
    class Stretch
      include Base::ShortInspect

      # @return [Array<RankingKey>] the places
      attr_reader :keys
      # @return [Boolean] whether more places follow
      attr_reader :follows

      def initialize(keys, follows)
        @keys = keys.freeze
        @follows = follows
        freeze
      end
    end

    # The data from which the scores of hits are read.
    class RankedScores
      include Base::ShortInspect

      # @return [Hash{String=>Float}] id → score of the text leg
      attr_reader :bm25
      # @return [Hash{String=>Float}] id → cosine, of documents for which the dense leg has computed it
      attr_reader :cosines
      # @return [Fusions::FusedLegs, nil] the contribution of each leg to a fusion, nil if the fusion does not report it
      attr_reader :legs
      # @return [Hash{String=>Array(Float, Float)}] id → term and vector similarity, if candidates were reranked by
      #   tokens and vectors
      attr_reader :reranked
      # @return [Hash{String=>Float}] id → the model's score
      attr_reader :models
      # @return [Hash{String=>Object}] the ids of parents, whose scores are made from those of their children
      attr_reader :replacing
      # @return [Boolean] whether there was a text leg
      attr_reader :has_text
      # @return [Boolean] whether there was a dense leg
      attr_reader :has_vector

      def initialize(bm25: {}, cosines: {}, legs: nil, reranked: {}, models: {}, replacing: {}, has_text: false,
                     has_vector: false)
        @bm25 = bm25
        @cosines = cosines
        @legs = legs
        @reranked = reranked
        @models = models
        @replacing = replacing
        @has_text = has_text
        @has_vector = has_vector
        freeze
      end

      # @param identifier [String] the id of a hit
      # @param cosine [Float, nil] its cosine, if the dense leg has not computed it
      # @return [Scores] the scores of the hit
      def of(identifier, cosine)
        return Scores.new(cosine: cosines.fetch(identifier, cosine)) if replacing.key?(identifier)

        text, vector = normalised(identifier)
        Scores.new(
          bm25: bm25[identifier],
          cosine: cosines.fetch(identifier, cosine),
          text: has_text ? text : nil,
          vector: has_vector ? vector : nil,
          rerank: models[identifier]
        )
      end

      private

      def normalised(identifier)
        return [legs.text.similarity(identifier), legs.dense.similarity(identifier)] if legs

        reranked.fetch(identifier, [nil, nil])
      end
    end

    # The places of all hits of a request in their one total order (CUR-2, RNK-8). It contains neither documents nor
    # their vectors.
    class Ranking
      include Base::ShortInspect

      # @return [RankingOrder] the order
      attr_reader :order
      # @return [Array<RankingKey>] the places, in that order; of a part of the ranking, those that are shown
      attr_reader :keys
      # @return [RankedScores] the data from which the scores of hits are read
      attr_reader :scores
      # @return [String] the fingerprint of the request, which cursors of this ranking contain
      attr_reader :fingerprint
      # @return [Array<Float>, nil] the vector with which documents were compared, nil without a dense leg
      attr_reader :query_vector
      # @return [Boolean] whether the store found the maximum number of candidates, so that more may match
      attr_reader :cut
      # @return [Array<String>] problems that did not stop the search
      attr_reader :warnings
      # @return [Array<String>] the words to highlight
      attr_reader :marked
      # @return [Hash, nil] name → value and count over all hits, nil unless requested
      attr_reader :facets
      # @return [Hash, nil] the explanation of the ranking without the parts of the hits, nil unless requested
      attr_reader :explain
      # @return [Hash] id → its place and score in recall, if `explain` was requested
      attr_reader :parts
      # @return [Arranged, nil] the additional parts of hits, if the ranking is arranged before it is shown
      attr_reader :arranged
      # @return [Boolean] whether the places are in an order other than `order`
      attr_reader :moved

      # @param retrieval [Retrievers::RetrievalRequest]
      # @return [Ranking] a ranking without places
      def self.nothing(retrieval)
        new(order: RankingOrder.new([]), keys: [], scores: RankedScores.new, fingerprint: "",
            facets: Retrievers::Facets.facets(retrieval, {}))
      end

      # @param retrieval [Retrievers::RetrievalRequest]
      # @param block [Retrievers::RankedBlock]
      # @param arranged [Arranged, nil]
      # @return [Hash{String=>Object}] the explanation of a ranking, with the counts of its arrangement
      def self.explanation(retrieval, block, arranged)
        explained = Retrievers::Explain.query_explanation(retrieval, block)
        arranged.nil? ? explained : explained.merge("arrangement" => arranged.counts)
      end

      # Return the places of a block in their order, without those below the lowest score.
      #
      # @param request [SearchRequest] the request
      # @param order [RankingOrder] the total order
      # @param block [Retrievers::RankedBlock] all candidates, with the scores of the first stage
      # @param partial [PartialRerank::PartialOutcome, nil] the candidates after a rerank by a model, nil without a
      #   model
      # @return [Array<RankingKey>]
      def self.ranked_keys(request, order, block, partial)
        outcome = block.outcome
        result = block.recalled.result
        by_fields = order.by_fields?
        lowest = request.retrieval.threshold? ? request.retrieval.similarity_threshold : -::Float::INFINITY
        scored = partial.nil? ? {} : partial.entries.select { |entry| entry.tier.zero? }.to_h { |one| [one.id, one] }
        keys = outcome.ids.each_with_index.filter_map do |id, index|
          entry = scored[id]
          score = entry ? entry.score : outcome.similarity[index]
          next if score < lowest

          values = by_fields ? order.values(result.fields_of(id)) : []
          stage1_score = entry ? entry.stage1_score : outcome.stage1_scores[index]
          RankingKey.new(values, entry ? 0 : 1, score, stage1_score, id)
        end
        order.sorted(keys)
      end

      # @param result [AdapterKit::SearchResult]
      # @return [Array<RankingKey>] the places of candidates that remain in the order of their fusion (RET-10)
      def self.fused_keys(result)
        scores = result.ids.map { |id| result.scores.fetch(id) }
        similarities = result.fused.nil? ? scores : result.fused.similarities(scores)
        result.ids.each_with_index.map { |id, index| RankingKey.new([], 1, similarities[index], scores[index], id) }
      end

      # @param recalled [Retrievers::Recalled]
      # @param others [Hash] the parts that a rerank adds
      # @return [RankedScores] the data from which the scores of such hits are read
      def self.fused_scores(recalled, **others)
        result = recalled.result
        RankedScores.new(
          bm25: result.text_scores,
          cosines: result.dense_scores.nil? ? {} : result.dense_scores.cosines,
          legs: result.fused,
          has_text: !recalled.query.nil?,
          has_vector: !result.query_vector.nil?,
          **others
        )
      end

      # @param block [Retrievers::RankedBlock]
      # @param partial [PartialRerank::PartialOutcome, nil]
      # @param arranged [Arranged, nil]
      # @return [RankedScores] the data from which the scores of a block's hits are read
      def self.ranked_scores(block, partial, arranged)
        models = partial.nil? ? {} : partial.entries.to_h { |entry| [entry.id, entry.model_score] }
        replacing = arranged.nil? ? {} : arranged.children
        fused_scores(block.recalled, reranked: reranked(block.outcome), models: models.compact, replacing:)
      end

      def self.reranked(outcome)
        return {} unless %w[weighted term].include?(outcome.formula)

        outcome.ids.zip(outcome.term_similarity.zip(outcome.vector_similarity)).to_h
      end
      private_class_method :reranked

      def initialize(order:, keys:, scores:, fingerprint:, query_vector: nil, cut: false, warnings: [], marked: [],
                     facets: nil, explain: nil, parts: {}, arranged: nil, moved: false)
        @order = order
        @keys = keys.freeze
        @scores = scores
        @fingerprint = fingerprint
        @query_vector = query_vector
        @cut = cut
        @warnings = warnings.freeze
        @marked = marked
        @facets = facets.freeze
        @explain = explain
        @parts = parts
        @arranged = arranged
        @moved = moved
        freeze
      end

      # @return [Integer] the number of hits
      def total
        keys.size
      end

      # @param question [Hash{String=>Object}] the explanation of the question
      # @param hits [Array<Hit>]
      # @return [Hash{String=>Object}, nil] the explanation of the ranking, with the parts of these hits; nil unless
      #   requested
      def explained(question, hits)
        return if explain.nil?

        found = hits.map do |hit|
          of_hit = parts.fetch(hit.id, { "id" => hit.id })
          arranged.nil? ? of_hit.dup : of_hit.merge(arranged.explained(hit.id, parts))
        end
        { **question, **explain, "hits" => found }
      end

      # Return the next places, at most `size`.
      #
      # @param key [RankingKey, nil] the place of the last hit that was shown; it need not be in this ranking. nil:
      #   `position` counts
      # @param position [Integer] the number of hits that were shown before
      # @param size [Integer] the maximum number of places
      # @return [Stretch]
      def after(key, position, size)
        first = key.nil? ? position : place_after(key, position)
        Stretch.new(Base::Slices.part(keys, first, size), first + size < keys.size)
      end

      private

      def place_after(key, position)
        return keys.bsearch_index { |one| order.compare(one, key).positive? } || keys.size unless moved

        place = keys.index { |one| one.id == key.id }
        place.nil? ? position : place + 1
      end
    end
  end
end
