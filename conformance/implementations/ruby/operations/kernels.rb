# frozen_string_literal: true

Conformance.operation("kernels.choice") { |_params, given, _trace| HybridSearch::Kernels.choice(given["kernels"]) }
