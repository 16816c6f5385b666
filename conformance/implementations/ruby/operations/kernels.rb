# frozen_string_literal: true

Conformance.operation("kernels.choice") do |_params, given, _trace|
  HybridSearch::Base::Kernels.choice(given["kernels"])
end
