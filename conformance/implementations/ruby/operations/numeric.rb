# frozen_string_literal: true

# Operations over `Numeric` (NUM-1 … NUM-5).

numeric = HybridSearch::Base::Numeric
floats = ->(values) { values.map(&:to_f) }
smallest = 5e-324 # the smallest positive double

{ "sum" => :sum_left, "mean" => :mean, "norm" => :norm, "normalize" => :normalize }.each do |name, function|
  Conformance.operation("numeric.#{name}") do |_params, given, _trace|
    numeric.public_send(function, floats.call(given["values"]))
  end
end

%w[dot cosine].each do |name|
  Conformance.operation("numeric.#{name}") do |_params, given, _trace|
    numeric.public_send(name, floats.call(given["left"]), floats.call(given["right"]))
  end
end

Conformance.operation("numeric.log10") do |_params, given, _trace|
  given["values"].map { |value| numeric.log10(HybridSearch::Base::Validation.number("values", value, smallest)) }
end

Conformance.operation("numeric.softmax") do |params, given, _trace|
  values = given["values"].map { |value| HybridSearch::Base::Validation.number("values", value) }
  numeric.softmax(values, params["temperature"].to_f)
end

Conformance.operation("numeric.text") do |_params, given, _trace|
  floats.call(given["values"]).map do |value|
    { "shortest" => numeric.shortest(value), "fixed4" => numeric.fixed4(value), "bits" => numeric.to_bits(value) }
  end
end

Conformance.operation("numeric.fixed1") do |_params, given, _trace|
  floats.call(given["values"]).map { |value| numeric.fixed1(value) }
end

Conformance.operation("numeric.round_half_even") do |_params, given, _trace|
  given["values"].map { |value| numeric.round_half_even(value.to_f) }
end

Conformance.operation("numeric.ulp_distance") do |_params, given, _trace|
  given["pairs"].map { |left, right| numeric.ulp_distance(left.to_f, right.to_f) }
end

Conformance.operation("numeric.vector") do |params, given, _trace|
  HybridSearch::Base::Validation.vector("vector", given["vector"], dimension: params["dimension"])
end
