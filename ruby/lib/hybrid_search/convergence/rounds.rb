# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Ranks blocks, moves the query towards the best of them, and ranks again until the ranking is stable (CNV-3,
    # CNV-4).
    class Rounds
      include Base::ShortInspect

      EMPTY = "empty"
      CONVERGED = "converged"
      MAX_STEPS = "max_steps"
      DRIFT = "drift"
      Round = ConvergentRetriever::Round
      private_constant :EMPTY, :CONVERGED, :MAX_STEPS, :DRIFT, :Round

      # @param index [BlockIndex] the blocks
      # @param scores [BlockScores] ranks the blocks
      # @param settings [Settings] the parameters (CNV-2)
      # @param query [Array<Float>] of length 1
      def initialize(index, scores, settings, query)
        @index = index
        @scores = scores
        @settings = settings
        @anchor = query
        @feedback = Feedback.new(index, settings, query)
      end

      # @return [ConvergentRetriever::Candidates] the fused result of all rounds
      def run
        rounds = []
        query = @anchor
        candidates = stop_reason = nil
        stable = 0
        last = @settings["max_steps"] - 1
        (0..last).each do |step|
          ranking = @scores.best(query, @settings.per_round, candidates)
          break stop_reason = EMPTY if ranking.empty?

          rounds << recorded(query, ranking, rounds.last)
          stable = stable?(rounds.last) ? stable + 1 : 0
          break stop_reason = CONVERGED if stable >= @settings["patience"]
          break stop_reason = MAX_STEPS if step == last

          candidates = local(ranking) if step.zero? && @settings["convergence_mode"] == Settings::GLOBAL_LOCAL
          moved = @feedback.next_query(query, ranking)
          cosine = Base::Numeric.cosine(moved, @anchor)
          rounds[-1] = rounds.last.followed_by(cosine)
          break stop_reason = DRIFT if drift?(cosine)

          query = moved
        end
        ConvergentRetriever::Candidates.new(blocks: fused(rounds), rounds:, stop_reason:)
      end

      private

      def recorded(query, ranking, before)
        scores = Base::Slices.head(ranking, @settings["converge_jaccard_k"]).map(&:last)
        mean = Base::Numeric.sum_left(scores) / scores.size
        return Round.new(query_vector: query, ranking:, mean:) if before.nil?

        Round.new(query_vector: query, ranking:, mean:, jaccard: jaccard(ranking, before.ranking),
                  gain: mean - before.mean)
      end

      # Return the Jaccard similarity of the first rows of both rounds.
      def jaccard(ranking, before)
        depth = @settings["converge_jaccard_k"]
        now = Base::Slices.head(ranking, depth).map(&:first)
        earlier = Base::Slices.head(before, depth).map(&:first)
        (now & earlier).size.to_f / (now | earlier).size
      end

      def stable?(made)
        jaccard = made.jaccard
        gain = made.gain
        return false if jaccard.nil? || gain.nil?

        jaccard >= @settings["converge_jaccard_threshold"] && gain <= @settings["converge_min_improve"]
      end

      def drift?(cosine)
        cosine < @settings["min_cos_to_q0"]
      end

      # Return all blocks of the best files of a ranking, in ascending order.
      def local(ranking)
        files = FileScores.new(@settings["file_score_agg"]).rank(
          ranking.map { |row, score| [@index.file(row), score] }
        )
        seeds = Base::Slices.head(files, @settings["top_k_seed_files"]).to_h { |file, _| [file, true] }
        (0...@index.size).select { |row| seeds.key?(@index.file(row)) }
      end

      def fused(rounds)
        return [] if rounds.empty?

        wanted = @settings.wanted
        alone = rounds.size == 1 || @settings["round_fusion"] != Settings::RRF
        return Base::Slices.head(rounds.last.ranking, wanted) if alone

        named = rounds.map { |made| made.ranking.map { |row, score| [RowNames.id_of(row), score] } }
        fused = Fusion.rrf(named, k: @settings["rrf_k"])
        Base::Slices.head(fused, wanted).map { |name, score| [RowNames.row_of(name), score] }
      end
    end
  end
end
