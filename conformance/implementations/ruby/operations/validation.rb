# frozen_string_literal: true

# Operations over `Base::Validation` (NUM-4, UNI-2, ERR-1, ERR-2).

validation = HybridSearch::Base::Validation
checks = {
  "integer" => ->(params, value) { validation.integer(params["name"], value, params["minimum"], params["maximum"]) },
  "number" => ->(params, value) { validation.number(params["name"], value, params["minimum"], params["maximum"]) },
  "choice" => ->(params, value) { validation.choice(params["name"], value, params["choices"]) },
  "vector" => ->(params, value) { validation.vector(params["name"], value, dimension: params["dimension"]) }
}
%w[text texts boolean mapping].each do |check|
  checks[check] = ->(params, value) { validation.public_send(check, params["name"], value) }
end

Conformance.operation("validation.check") do |params, given, _trace|
  checks.fetch(params["check"]).call(params, given["value"])
end

Conformance.operation("validation.describe") do |_params, given, _trace|
  given["values"].map { |value| validation.describe(value) }
end

Conformance.operation("validation.known") do |params, given, _trace|
  validation.known(params["what"], given["names"], params["accepted"])
  given["names"]
end

Conformance.operation("validation.edit_distance") do |_params, given, _trace|
  given["pairs"].map { |left, right| validation.edit_distance(left, right) }
end
