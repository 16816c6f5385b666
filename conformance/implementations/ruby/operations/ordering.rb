# frozen_string_literal: true

# Operations over `Base::Ordering` (ORD-1 … ORD-3).

ordering = HybridSearch::Base::Ordering

Conformance.operation("ordering.rank") do |_params, given, _trace|
  ordering.rank(given["pairs"].map do |identifier, score|
                  [identifier, HybridSearch::Base::Validation.number("score", score)]
                end)
end

Conformance.operation("ordering.rank_tiered") do |_params, given, _trace|
  number = HybridSearch::Base::Validation.method(:number)
  rows = given["rows"].map do |tier, score, stage1, identifier|
    [tier, number.call("score", score), number.call("stage1_score", stage1), identifier]
  end
  rows.sort { |left, right| ordering.compare_tiered(left, right) }
end
