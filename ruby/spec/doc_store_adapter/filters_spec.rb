# frozen_string_literal: true

require "spec_helper"

RSpec.describe "Filters with many values", unchecked: "checking every value of a list takes minutes" do
  parse = ->(filters) { HybridSearch::Storing::FilterParser.new(HybridSearch::Storing::FilterNames.new).parse(filters) }

  [
    { "page_int" => (0..65_536).to_a },
    { "page_int" => { "in" => (0..65_536).to_a, "gt" => 3 } },
    { "id" => (0..65_536).map(&:to_s) },
    { "available_int" => [1] * 65_537 },
    { "any" => [{ "page_int" => (0..32_767).to_a }, { "not" => { "kb_id" => ["k"] * 32_769 } }] }
  ].each do |filters|
    it "refuses more than 65,536: #{filters.to_s[0, 40]}" do
      expect { parse.call(filters) }
        .to raise_error(HybridSearch::InvalidInputError, "filters must not hold more than 65536 values in lists")
    end
  end

  it "accepts as many" do
    wanted = (0..32_767).to_a
    parse.call({ "any" => [{ "page_int" => wanted }, { "not" => { "page_int" => { "in" => wanted } } }] })
  end
end
