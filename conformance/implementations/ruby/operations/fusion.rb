# frozen_string_literal: true

# Operations of fusion (FUS-1 … FUS-5).
module Conformance
  # Fusions that compare the first hundred of both legs.
  module FusedLegsData
    module_function

    # The fused list, the similarities that are shown, and what both legs add.
    def told(method, rankings, trace)
      fused = HybridSearch::Fusion.public_send(method, rankings)
      sorted = rankings.map { |ranking| HybridSearch::Base::Ordering.rank(ranking) }
      legs = HybridSearch::Fusions::FusionMethods::METHODS.fetch(method).legs.call(*sorted)
      parts = [legs.text, legs.dense].map { |leg| [leg.weight, leg.floor, leg.unit, leg.shares.to_a] }
      trace.stage("normalise scores", parts)
      trace.stage("fuse", fused)
      {
        "fused" => fused, "legs" => parts, "highest" => legs.highest,
        "similarity" => legs.similarities(fused.map(&:last))
      }
    end
  end

  %w[auto min_max].each do |method|
    operation("fusion.#{method}") do |_params, given, trace|
      FusedLegsData.told(method, given["rankings"], trace)
    end
  end

  operation("fusion.weighted_sum") do |params, given, trace|
    rankings = given["rankings"]
    normalizer = params.fetch("normalizer", "min_max")
    fused = HybridSearch::Fusion.weighted_sum(rankings, params["weights"], normalizer:)
    own = normalizer.is_a?(Array) ? normalizer : [normalizer] * rankings.size
    alone = rankings.zip(own).map do |ranking, name|
      HybridSearch::Fusion.weighted_sum([ranking], [1.0], normalizer: name)
    end
    trace.stage("normalise scores", alone)
    trace.stage("fuse", fused)
    fused
  end

  operation("fusion.rrf") do |params, given, trace|
    k = params.fetch("k", 60)
    fused = HybridSearch::Fusion.rrf(given["rankings"], k:)
    trace.stage("normalise scores", given["rankings"].map { |ranking| HybridSearch::Fusion.rrf([ranking], k:) })
    trace.stage("fuse", fused)
    fused
  end

  operation("fusion.normalize") do |params, given, _trace|
    scores = given["scores"].map { |score| HybridSearch::Base::Validation.number("scores", score) }
    HybridSearch::Fusions::ScoreNormalizer.normalize(scores, params["normalizer"])
  end

  operation("fusion.parse_weights") do |params, given, _trace|
    HybridSearch::Fusions::Weights.parse(given["weights"], params.fetch("count", 2))
  end

  operation("fusion.expression") do |params, given, trace|
    given_params = params.fetch("params", {})
    made = HybridSearch::AdapterKit::FusionExpr.new(params["method"], params.fetch("topn", 10), given_params)
    trace.stage("fuse", HybridSearch::Fusion.fuse(made, given["rankings"]))
    { "method" => made.method, "topn" => made.topn, "params" => made.params }
  end

  operation("fusion.fuse") do |params, given, _trace|
    made = HybridSearch::AdapterKit::FusionExpr.new(params["method"], params["topn"], params.fetch("params", {}))
    HybridSearch::Fusion.fuse(made, given["rankings"], normalizer: params.fetch("normalizer", "min_max"))
  end

  operation("fusion.defaults") do |params, given, trace|
    rankings = given["rankings"]
    trace.stage("fuse", [HybridSearch::Fusion.weighted_sum(rankings, params["weights"]),
                         HybridSearch::Fusion.rrf(rankings)])
    made = params["methods"].map { |method| HybridSearch::AdapterKit::FusionExpr.new(method, params["topn"]) }
    made.map { |one| [one.params, HybridSearch::Fusion.fuse(one, rankings)] }
  end
end
