# frozen_string_literal: true

require "spec_helper"
require "date"
require "set"

RSpec.describe "Filters with many values", unchecked: "checking every value of a list takes minutes" do
  parse = lambda do |filters|
    HybridSearch::Stores::Filters::FilterParser.new(HybridSearch::Stores::Filters::FilterNames.new).parse(filters)
  end

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

  it "accepts 65,536 values" do
    wanted = (0..32_767).to_a
    parse.call({ "any" => [{ "page_int" => wanted }, { "not" => { "page_int" => { "in" => wanted } } }] })
  end
end

# Values that exist only in Ruby; the cases of DOC-2 and RET-8 contain the rest.
RSpec.describe HybridSearch::Stores::Filters::FilterParser do
  def data(wanted, name = "metadata.x")
    described_class.new(HybridSearch::Retrievers::FieldWords.new).parse({ name => wanted }).data
  end

  def message(...)
    data(...)
  rescue HybridSearch::InvalidInputError => e
    e.message
  end

  {
    1..10 => { "gte" => 1, "lte" => 10 },
    1...10 => { "gte" => 1, "lt" => 10 },
    (1..) => { "gte" => 1 },
    (..5) => { "lte" => 5 },
    (...5) => { "lt" => 5 },
    (1..Float::INFINITY) => { "gte" => 1 },
    (-Float::INFINITY...2.5) => { "lt" => 2.5 },
    ("a".."c") => { "gte" => "a", "lte" => "c" },
    (Date.new(2024, 5, 1)...Date.new(2024, 6, 1)) => { "gte" => "2024-05-01", "lt" => "2024-06-01" },
    (Time.utc(2024, 5, 1, 9)..) => { "gte" => "2024-05-01T09:00:00.000000Z" }
  }.each do |range, operators|
    it "reads the range #{range.inspect} as its operators, wherever a value is allowed" do
      expect(data(range)).to eq("metadata.x" => operators)
      expect(data([range])).to eq("metadata.x" => operators)
      expect(data({ in: range })).to eq("metadata.x" => operators)
      expect(data({ not: range })).to eq("not" => { "metadata.x" => operators })
      expect(data([range, 7, nil])).to eq(
        "any" => [{ "metadata.x" => 7 }, { "metadata.x" => operators }, { "metadata.x" => { "exists" => false } }]
      )
    end
  end

  it "reads the members of a Set as alternatives" do
    expect(data(Set[:a, "b"])).to eq("metadata.x" => %w[a b])
    expect(data({ in: Set[1, 2], gt: 1 })).to eq("metadata.x" => { "in" => [1, 2], "gt" => 1 })
  end

  it "combines a range with other operators" do
    expect(data({ in: 1..3,
                  gt: 2 })).to eq("metadata.x" => { "gte" => 1, "lte" => 3 },
                                  "all" => [{ "metadata.x" => { "gt" => 2 } }])
  end

  it "refuses ranges without ends, and ranges where they are not allowed" do
    expect(message(nil..nil)).to eq(
      "filters.metadata.x must be a range with a beginning or an end, not a value of the type Range"
    )
    expect(message({ gte: 1..2 })).to end_with("not a value of the type Range; give it as a text or a number")
    expect(message(1..2, "title")).to eq("unknown operator of filters.title \"gte\". Known: exists, not")
  end
end
