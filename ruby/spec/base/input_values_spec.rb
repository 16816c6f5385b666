# frozen_string_literal: true

require "bigdecimal"
require "date"

# Types that exist only in Ruby; the cases of IDX-4 contain the rest.
RSpec.describe HybridSearch::Base::InputValues do
  def plain(value)
    described_class.plain("value", value)
  end

  def message(value)
    plain(value)
  rescue HybridSearch::InvalidInputError => e
    e.message
  end

  it "reads the instant of a DateTime, and its day in the Gregorian calendar" do
    expect(plain(DateTime.new(2024, 5, 1, 9, 30, 0.5, "+2"))).to eq("2024-05-01T07:30:00.500000Z")
    expect(plain(Date.new(1500, 1, 1))).to eq("1500-01-10")
    expect(plain(DateTime.new(1500, 1, 1))).to eq("1500-01-10T00:00:00.000000Z")
  end

  it "truncates times to microseconds" do
    expect(plain(Time.at(-1, 999_999_999, :nsec))).to eq("1969-12-31T23:59:59.999999Z")
    expect(plain(Time.at(Rational(1, 3)))).to eq("1970-01-01T00:00:00.333333Z")
  end

  it "refuses years beyond 9999 and before 1" do
    expect(message(Time.utc(10_000))).to eq("value must be a time of the years 1 to 9999 in UTC")
    expect(message(Date.new(0, 1, 1))).to eq("value must be a time of the years 1 to 9999 in UTC")
  end

  it "names a type without a plain equivalent" do
    expect(message(Rational(1, 3))).to end_with("not a value of the type Rational; give it as a text or a number")
    expect(message(1..2)).to end_with("not a value of the type Range; give it as a text or a number")
    expect(message(BasicObject.new)).to end_with("not a value of the type BasicObject; give it as a text or a number")
  end

  it "accepts symbols as ids" do
    expect(described_class.identifiers("ids", [:a, "b", 7])).to eq(%w[a b 7])
  end

  it "stores no text that the caller can change" do
    store = HybridSearch::Index.new(kernels: "plain")
    lang = +"zh"
    store.add([{ id: 1, content: "solar", metadata: { lang: } }])
    lang << "!"
    expect(store.get(1)["metadata"]).to eq("lang" => "zh")
  end
end
