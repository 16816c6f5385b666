# frozen_string_literal: true

# Plain data is the same JSON in both languages; `python_ref/tests/base/test_json_writer.py` expects the same text.
RSpec.describe HybridSearch::Base::JsonWriter do
  it "writes plain data in one form" do
    value = {
      "text" => "规则 \"6-2-1\"\n\t\\ / \u2028 \u007f \u0001 😀",
      "numbers" => [1, -1, 10**21, 0.1, 1.0, -0.0, 1e16, 1e-05, 5e-324, 123_456_789_012_345_680.0],
      "nothing" => [nil, true, false, [], {}, ""]
    }
    text = "{\"text\":\"规则 \\\"6-2-1\\\"\\n\\t\\\\ / \u2028 \u007f \\u0001 😀\"," \
           "\"numbers\":[1,-1,1000000000000000000000,0.1,1.0,-0.0,1e+16,1e-05,5e-324,1.2345678901234568e+17]," \
           "\"nothing\":[null,true,false,[],{},\"\"]}"
    expect(described_class.write(value)).to eq(text)
  end

  it "refuses a value that is not a number" do
    [Float::NAN, Float::INFINITY, -Float::INFINITY].each do |number|
      expect { described_class.write([number]) }.to raise_error(JSON::GeneratorError)
    end
  end
end
