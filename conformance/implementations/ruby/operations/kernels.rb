# frozen_string_literal: true

Conformance.operation("kernels.choice") do |_params, given, _trace|
  kernels = HybridSearch::Base::Kernels
  next kernels.choice(given["kernels"]) unless given.key?("variable")

  before = ENV.fetch(kernels::VARIABLE, nil)
  begin
    ENV[kernels::VARIABLE] = given["variable"]
    kernels.choice(nil)
  ensure
    ENV[kernels::VARIABLE] = before
  end
end
