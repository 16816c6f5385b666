# frozen_string_literal: true

# Operations over `Ordering` (ORD-1 … ORD-3).

ordering = HybridSearch::Ordering

Conformance.operation("ordering.rank") do |_params, given, _trace|
  ordering.rank(given["pairs"].map { |identifier, score| [identifier, score.to_f] })
end

Conformance.operation("ordering.rank_tiered") do |_params, given, _trace|
  rows = given["rows"].map { |tier, score, stage1, identifier| [tier, score.to_f, stage1.to_f, identifier] }
  rows.sort { |left, right| ordering.compare_tiered(left, right) }
end
