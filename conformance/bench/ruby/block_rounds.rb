# frozen_string_literal: true

require "measure"

module Bench
  # `ConvergentRetriever` with everything off, what it does for a round alone, and rounds of feedback; the twin of
  # `conformance/bench/contestants/convergence.py`.
  class BlockRounds
    RANKED = 100

    # Open the index.
    def load(folder:)
      GC.start
      before = Measure.resident
      index, taken = Measure.timed { HybridSearch::BlockIndex.open(folder) }
      @kernel = HybridSearch::Base::Kernels.kernel("block_scores").new(index.rows)
      @off = HybridSearch::ConvergentRetriever.new(index, top_k_blocks: RANKED)
      @prf = HybridSearch::ConvergentRetriever.new(index, top_k_blocks: RANKED, convergence_mode: "prf")
      { **taken, "memory" => Measure.resident - before }
    end

    # Answer each query in a way: "plain" dense retrieval, "off" or "prf".
    def run(queries:, way:)
      vectors = Measure.lines(queries)
      found, taken = Measure.timed { vectors.map { |vector| blocks(way, vector) } }
      shown = found.flat_map { |blocks| blocks.map { |row, score| "#{row} #{Measure.bits(score)}" } }
      { **taken, "digest" => Measure.digest(shown), "first" => found.map { |blocks| blocks.first.first },
                 "peak" => Measure.peak }
    end

    private

    def blocks(way, vector)
      return @kernel.best(vector, RANKED) if way == "plain"

      { "off" => @off, "prf" => @prf }.fetch(way).retrieve_candidates(vector).blocks
    end
  end
end
