# frozen_string_literal: true

# Operations of fusion (FUS-1, FUS-2).
module Conformance
  operation("fusion.weighted_sum") do |params, given, _trace|
    HybridSearch::Fusion.weighted_sum(given["rankings"], params["weights"], params.fetch("normalizer", "min_max"))
  end

  operation("fusion.rrf") do |params, given, _trace|
    HybridSearch::Fusion.rrf(given["rankings"], params.fetch("k", 60))
  end

  operation("fusion.normalize") do |params, given, _trace|
    HybridSearch::ScoreNormalizer.normalize(given["scores"].map(&:to_f), params["normalizer"])
  end

  operation("fusion.parse_weights") do |params, given, _trace|
    HybridSearch::Weights.parse(given["weights"], params.fetch("count", 2))
  end

  operation("fusion.expression") do |params, given, trace|
    made = HybridSearch::FusionExpr.new(params["method"], params.fetch("topn", 10), params.fetch("params", {}))
    trace.stage("fuse", HybridSearch::Fusion.fuse(made, given["rankings"]))
    { "method" => made.method, "topn" => made.topn, "params" => made.params }
  end
end
